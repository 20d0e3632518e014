import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListWatchlistData } from '../../../../clients/typescript/src/index.js';

type Query = NonNullable<ListWatchlistData['query']>;
export type Sort = NonNullable<Query['sort']>;
export type Status = NonNullable<Query['status']>;

/** What the list shows. It is in the address, so that going back and links keep it. */
export interface ListQuery {
  readonly search: string;
  readonly status: Status | null;
  readonly tags: readonly string[];
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
/** Every order of the API, in the order of the menu. */
export const SORTS = {
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  domain: 'Name, A to Z',
  '-domain': 'Name, Z to A',
  status: 'Status',
  '-status': 'Status, reversed',
  expires_at: 'Expires first',
  '-expires_at': 'Expires last',
  '-last_checked_at': 'Checked last',
  last_checked_at: 'Not checked for longest',
} as const satisfies Readonly<Record<Sort, string>>;
const DEFAULT: ListQuery = { search: '', status: null, tags: [], sort: '-created_at', page: 1 };
export const PER_PAGE = 50;

/** @returns the query of the address, and what changes a part of it; another filter starts at the first page */
export function useListQuery(): [ListQuery, (change: Partial<ListQuery>) => void] {
  const { path, url, route } = useLocation();
  const query = useMemo(() => parse(new URL(url, location.origin).searchParams), [url]);
  const change = useCallback(
    (part: Partial<ListQuery>) => {
      const search = format({ ...query, page: 1, ...part });
      route(`${path}/${search}`.replace(/\/+/g, '/'), part.search !== undefined);
    },
    [query, path, route],
  );
  return [query, change];
}

/** Translates it for the API, which matches the beginning of names in their ASCII form. */
export function toApiQuery({ search, status, tags, sort, page }: ListQuery): Query {
  return {
    ...(search !== '' && { domain: toAscii(search) }),
    ...(status !== null && { status }),
    ...(tags.length > 0 && { tag: [...tags] }),
    sort,
    page,
    per_page: PER_PAGE,
    expand: 'details',
  };
}

export function isFiltered({ search, status, tags }: ListQuery): boolean {
  return search !== '' || status !== null || tags.length > 0;
}

function parse(params: URLSearchParams): ListQuery {
  const status = params.get('status') as Status | null;
  const sort = params.get('sort') ?? '';
  const page = Number(params.get('page'));
  return {
    search: params.get('q') ?? '',
    status: status !== null && STATUSES.includes(status) ? status : null,
    tags: params.getAll('tag'),
    sort: Object.hasOwn(SORTS, sort) ? (sort as Sort) : DEFAULT.sort,
    page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
  };
}

function format({ search, status, tags, sort, page }: ListQuery): string {
  const params = new URLSearchParams();
  if (search !== '') params.set('q', search);
  if (status !== null) params.set('status', status);
  for (const tag of tags) params.append('tag', tag);
  if (sort !== DEFAULT.sort) params.set('sort', sort);
  if (page > 1) params.set('page', String(page));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** The browser's own conversion; what it refuses goes to the API as it is. */
function toAscii(text: string): string {
  const typed = text.trim().toLowerCase();
  if (!/[^\x20-\x7e]/.test(typed)) return typed;
  try {
    return new URL(`http://${typed}`).hostname;
  } catch {
    return typed;
  }
}
