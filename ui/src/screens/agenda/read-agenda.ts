import {
  type Client,
  type ExpandedEntry,
  listWatchlist,
  type Watchlist,
} from '../../../../clients/typescript/src/index.js';
import { type AgendaItem, type Span, toAgendaItem } from './agenda.js';

/** A name that needs action today. */
export interface UrgentName {
  readonly entryId: string;
  readonly domain: string;
  readonly phase: string;
  readonly expiresAt: string | null;
}

export interface Agenda {
  /** Expired names that must be renewed today. */
  readonly grace: readonly UrgentName[];
  /** Names in deletion that can still be restored. */
  readonly redemption: readonly UrgentName[];
  readonly items: readonly AgendaItem[];
  /** Names in deletion whose day is unknown. */
  readonly undated: readonly { readonly entryId: string; readonly domain: string; readonly phase: string }[];
  /** Whether items are missing, since too many names expire or are deleted. */
  readonly isCut: boolean;
  /** Whether renewals are missing, since too many names have no expiry. */
  readonly areRenewalsCut: boolean;
}

/**
 * Reads the expiries, renewals and drops of a span.
 * @throws the problem document of a refused request, and NetworkError
 */
export async function readAgenda(client: Client, span: Span, signal: AbortSignal): Promise<Agenda> {
  const query = { per_page: PER_PAGE, sort: 'expires_at', expand: 'lifecycle,details' } as const;
  const read = (filter: { status?: 'expiring' | 'pending_delete' }) => async (page: number) => {
    const answer = await listWatchlist({ client, signal, throwOnError: true, query: { ...query, ...filter, page } });
    return answer.data;
  };
  const readByExpiry = readOnce(read({}));
  const [undatedNames, expiring, nearExpiry, deleted] = await Promise.all([
    readUndated(readByExpiry),
    readEntries(readByExpiry, span),
    readEntries(read({ status: 'expiring' }), null),
    readEntries(read({ status: 'pending_delete' }), null),
  ]);
  const living = [...undatedNames.entries, ...expiring.entries]
    .filter(({ status }) => status !== 'pending_delete')
    .filter((entry) => phaseOf(entry) !== 'expired_grace');
  const items = [...living, ...deleted.entries]
    .map((entry) => toAgendaItem(entry, span))
    .filter((item) => item !== null);
  const grace = nearExpiry.entries.filter((entry) => phaseOf(entry) === 'expired_grace').map(toUrgentName);
  const isInRedemption = (entry: ExpandedEntry) => RESTORABLE.includes(phaseOf(entry));
  const redemption = deleted.entries.filter(isInRedemption).map(toUrgentName);
  const undated = deleted.entries
    .filter((entry) => !entry.lifecycle?.drop_window && !isInRedemption(entry))
    .map((entry) => ({ entryId: entry.id, domain: entry.domain, phase: phaseOf(entry) }));
  const isCut = expiring.isCut || nearExpiry.isCut || deleted.isCut;
  return { grace, redemption, items, undated, isCut, areRenewalsCut: undatedNames.isCut };
}

const RESTORABLE: readonly string[] = ['redemption', 'pending_restore'];

function phaseOf({ lifecycle, status }: ExpandedEntry): string {
  return lifecycle?.phase ?? status;
}

function toUrgentName(entry: ExpandedEntry): UrgentName {
  const { id: entryId, domain, lifecycle } = entry;
  return { entryId, domain, phase: phaseOf(entry), expiresAt: lifecycle?.expires_at ?? null };
}

/** The maximum number of entries on a page of the API. */
const PER_PAGE = 100;
/** The maximum number of entries that are read. The screen says when there are more. */
const AT_MOST = 500;

type ReadPage = (page: number) => Promise<Watchlist>;

interface FoundEntries {
  readonly entries: readonly ExpandedEntry[];
  /** Whether the span has more entries than were read. */
  readonly isCut: boolean;
}

/**
 * Reads the entries that expire in a span, or all if the span is null. The list is sorted by expiry, so a binary search
 * finds the first page. For 100 000 entries that takes ten requests instead of a thousand.
 */
export async function readEntries(read: ReadPage, span: Span | null): Promise<FoundEntries> {
  const first = await read(1);
  const last = Math.ceil(first.meta.total / PER_PAGE);
  let page = reaches(first, span) ? 1 : await firstPageThatReaches(span, read, last);
  const entries: ExpandedEntry[] = [];
  for (; page <= last; page += 1) {
    const { data } = page === 1 ? first : await read(page);
    entries.push(...data.filter((entry) => span === null || expiryOf(entry) >= span.from));
    if (span !== null && data.some((entry) => expiryOf(entry) >= span.before)) return { entries, isCut: false };
    if (entries.length >= AT_MOST) return { entries, isCut: page < last };
  }
  return { entries, isCut: false };
}

/** Reads the entries without an expiry, which are first in the list. */
async function readUndated(read: ReadPage): Promise<FoundEntries> {
  const entries: ExpandedEntry[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await read(page);
    const undated = data.filter((entry) => expiryOf(entry) === '');
    entries.push(...undated);
    if (undated.length < data.length || page * PER_PAGE >= meta.total) return { entries, isCut: false };
    if (entries.length >= AT_MOST) return { entries, isCut: true };
  }
}

/** Reads each page only once for several callers. */
function readOnce(read: ReadPage): ReadPage {
  const pages = new Map<number, Promise<Watchlist>>();
  return (page) => {
    const reading = pages.get(page) ?? read(page);
    pages.set(page, reading);
    return reading;
  };
}

/** Returns the first page that reaches the span, or the number after the last page. Page 1 does not reach it. */
async function firstPageThatReaches(span: Span | null, read: ReadPage, last: number): Promise<number> {
  let before = 1;
  let found = last + 1;
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2);
    if (reaches(await read(middle), span)) found = middle;
    else before = middle;
  }
  return found;
}

/** Whether the page has entries of the span or later. An empty page is past the end of a shortened list. */
function reaches({ data }: Watchlist, span: Span | null): boolean {
  const last = data.at(-1);
  return span === null || last === undefined || expiryOf(last) >= span.from;
}

/** Returns an empty text for an unknown expiry, which sorts before all dates. */
function expiryOf({ lifecycle }: ExpandedEntry): string {
  return lifecycle?.expires_at ?? '';
}
