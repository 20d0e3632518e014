import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListWatchlistData } from '../../../../clients/typescript/src/index.js';

type Query = NonNullable<ListWatchlistData['query']>;
export type Sort = NonNullable<Query['sort']>;
export type Status = NonNullable<Query['status']>;
export type Phase = NonNullable<Query['phase']>;
export type Purpose = NonNullable<Query['purpose']>;

/** Filters that are true, false or not set. */
export const FLAGS = ['failing', 'answered', 'drift', 'paused'] as const;
export type Flag = (typeof FLAGS)[number];

export const FLAG_WORDS: Readonly<Record<Flag, readonly [on: string, off: string]>> = {
  failing: ['Checks failing', 'Checks not failing'],
  answered: ['Checked successfully', 'Never checked successfully'],
  drift: ['Not as expected', 'As expected'],
  paused: ['Paused', 'Not paused'],
};

/** The filters, order and page of the list. The address contains them, so that links and the back button work. */
export interface ListQuery extends Readonly<Record<Flag, boolean | null>> {
  readonly search: string;
  readonly status: Status | null;
  readonly phase: Phase | null;
  readonly purpose: Purpose | null;
  readonly tags: readonly string[];
  readonly operator: string | null;
  readonly expiresWithinDays: number | null;
  /** A month such as `2026-12`, in UTC. */
  readonly expiresInMonth: string | null;
  /** The id of the import that added the names. */
  readonly importId: string | null;
  readonly sort: Sort;
  readonly page: number;
}

const KNOWN_STATUSES = {
  available: true,
  registered: true,
  expiring: true,
  pending_delete: true,
} as const satisfies Readonly<Record<Status, true>>;
export const STATUSES = Object.keys(KNOWN_STATUSES) as readonly Status[];
const KNOWN_PHASES = {
  available: true,
  registered: true,
  reserved: true,
  hold: true,
  expiring: true,
  expired_grace: true,
  redemption: true,
  pending_restore: true,
  pending_delete: true,
} as const satisfies Readonly<Record<Phase, true>>;
export const PHASES = Object.keys(KNOWN_PHASES) as readonly Phase[];
const KNOWN_PURPOSES = ['own', 'acquire', 'monitor'] as const satisfies readonly Purpose[];
export const SORTS = {
  soonest_expiry: 'Soonest expiry first',
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  domain: 'Name, A to Z',
  '-domain': 'Name, Z to A',
  status: 'Status',
  '-status': 'Status, reversed',
  '-expires_at': 'Latest expiry first',
  expires_at: 'No expiry first',
  '-last_checked_at': 'Checked last',
  last_checked_at: 'Not checked for longest',
} as const satisfies Readonly<Record<Sort, string>>;
export const NO_FILTER = {
  search: '',
  status: null,
  phase: null,
  purpose: null,
  tags: [],
  operator: null,
  expiresWithinDays: null,
  expiresInMonth: null,
  importId: null,
  failing: null,
  answered: null,
  drift: null,
  paused: null,
} as const;
const DEFAULT: ListQuery = { ...NO_FILTER, sort: 'soonest_expiry', page: 1 };
export const PER_PAGE = 50;

/** @returns the query of the address, and a function that changes it. A new filter starts at the first page. */
export function useListQuery(): [ListQuery, (change: Partial<ListQuery>) => void] {
  const { path, url, route } = useLocation();
  const query = useMemo(() => parse(new URL(url, location.origin).searchParams), [url]);
  const change = useCallback(
    (part: Partial<ListQuery>) => {
      const search = formatQuery({ ...query, page: 1, ...part });
      route(`${path}/${search}`.replace(/\/+/g, '/'), part.search !== undefined);
    },
    [query, path, route],
  );
  return [query, change];
}

/** Returns the filters as parameters of the API. */
export function toApiFilters(query: ListQuery): Query {
  const { search, status, phase, purpose, tags, operator, expiresWithinDays, expiresInMonth, importId } = query;
  return {
    ...(search !== '' && { search }),
    ...(status !== null && { status }),
    ...(phase !== null && { phase }),
    ...(purpose !== null && { purpose }),
    ...(tags.length > 0 && { tag: [...tags] }),
    ...(operator !== null && { operator }),
    ...(expiresWithinDays !== null && { expires_within_days: expiresWithinDays }),
    ...(expiresInMonth !== null && { expires_in_month: expiresInMonth }),
    ...(importId !== null && { import: importId }),
    ...Object.fromEntries(FLAGS.flatMap((flag) => (query[flag] === null ? [] : [[flag, query[flag]]]))),
  };
}

export function toApiQuery(query: ListQuery): Query {
  const { sort, page } = query;
  return { ...toApiFilters(query), sort, page, per_page: PER_PAGE, expand: 'details,record,phases' };
}

export function isFiltered(query: ListQuery): boolean {
  return Object.keys(toApiFilters(query)).length > 0;
}

function parse(params: URLSearchParams): ListQuery {
  const oneOf = <Value extends string>(name: string, known: readonly Value[]): Value | null =>
    known.find((value) => value === params.get(name)) ?? null;
  const number = (name: string) => {
    const value = Number(params.get(name));
    return Number.isSafeInteger(value) && value >= 1 ? value : null;
  };
  const flags = FLAGS.map((flag) => {
    const value = oneOf(flag, ['true', 'false']);
    return [flag, value === null ? null : value === 'true'] as const;
  });
  return {
    search: params.get('search') ?? '',
    status: oneOf('status', STATUSES),
    phase: oneOf('phase', PHASES),
    purpose: oneOf('purpose', KNOWN_PURPOSES),
    tags: params.getAll('tag'),
    operator: params.get('operator') || null,
    expiresWithinDays: number('expires_within_days'),
    expiresInMonth: /^\d{4}-(?:0[1-9]|1[0-2])$/.exec(params.get('expires_in_month') ?? '')?.[0] ?? null,
    importId: params.get('import') || null,
    ...(Object.fromEntries(flags) as Record<Flag, boolean | null>),
    sort: oneOf('sort', Object.keys(SORTS) as Sort[]) ?? DEFAULT.sort,
    page: number('page') ?? 1,
  };
}

/** Formats the query part of the address, in which filters have the names of the API. */
export function formatQuery(query: Partial<ListQuery>): string {
  const { search, tag = [], ...filters } = toApiFilters({ ...DEFAULT, ...query });
  const params = new URLSearchParams();
  if (search !== undefined) params.set('search', search);
  for (const [name, value] of Object.entries(filters)) params.set(name, String(value));
  for (const one of tag) params.append('tag', one);
  const { sort = DEFAULT.sort, page = 1 } = query;
  if (sort !== DEFAULT.sort) params.set('sort', sort);
  if (page > 1) params.set('page', String(page));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
