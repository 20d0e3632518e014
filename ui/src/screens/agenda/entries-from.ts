import type { ExpandedEntry, Watchlist } from '../../../../clients/typescript/src/index.js';
import type { Span } from './agenda.js';

/** What a page of the API holds at most. */
export const PER_PAGE = 100;
/** Entries that are read at most; what is beyond is said, not hidden. */
const AT_MOST = 500;

type ReadPage = (page: number) => Promise<Watchlist>;

export interface FoundEntries {
  readonly entries: readonly ExpandedEntry[];
  /** Whether there are more of the span than were read. */
  readonly isCut: boolean;
}

/**
 * The entries of a list by expiry, unknown dates first, that expire in a span; null: those of the whole list. The page on
 * which the span begins is found by bisection: in 100 000 entries these are ten requests, not a thousand.
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

/** The entries with which a list by expiry begins: those without a date. */
export async function readUndated(read: ReadPage): Promise<FoundEntries> {
  const entries: ExpandedEntry[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await read(page);
    const undated = data.filter((entry) => expiryOf(entry) === '');
    entries.push(...undated);
    if (undated.length < data.length || page * PER_PAGE >= meta.total) return { entries, isCut: false };
    if (entries.length >= AT_MOST) return { entries, isCut: true };
  }
}

/** A page that several readers need is read once. */
export function readOnce(read: ReadPage): ReadPage {
  const pages = new Map<number, Promise<Watchlist>>();
  return (page) => {
    const reading = pages.get(page) ?? read(page);
    pages.set(page, reading);
    return reading;
  };
}

/** One past the last page if there is none. Page 1 is known not to. */
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

/** An empty page is past the end of a list that became shorter meanwhile. */
function reaches({ data }: Watchlist, span: Span | null): boolean {
  const last = data.at(-1);
  return span === null || last === undefined || expiryOf(last) >= span.from;
}

/** An unknown date comes before all others. */
function expiryOf({ lifecycle }: ExpandedEntry): string {
  return lifecycle?.expires_at ?? '';
}
