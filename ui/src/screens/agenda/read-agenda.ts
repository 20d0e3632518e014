import { type Client, listWatchlist } from '../../../../clients/typescript/src/index.js';
import { type AgendaItem, type Span, toAgendaItem } from './agenda.js';
import { PER_PAGE, readEntries, readOnce, readUndated } from './entries-from.js';

export interface Agenda {
  readonly items: readonly AgendaItem[];
  /** Names that are being deleted on a day that is not known. */
  readonly undated: readonly { readonly entryId: string; readonly domain: string; readonly phase: string }[];
  /** Whether so many names expire or are deleted that the later ones are missing. */
  readonly isCut: boolean;
  /** Whether so many names have no expiry that days of one's own of some were not read. */
  readonly areRenewalsCut: boolean;
}

/**
 * The expiries, renewals and drops of a span. The list is sorted by expiry with unknown dates first, so the page on which the span
 * begins is found by bisection: 100 000 entries are ten requests, not a thousand.
 * @throws the problem document of a refused request, and NetworkError
 */
export async function readAgenda(client: Client, span: Span, signal: AbortSignal): Promise<Agenda> {
  const query = { per_page: PER_PAGE, sort: 'expires_at', expand: 'lifecycle,details' } as const;
  const read = (filter: { status?: 'pending_delete' }) => async (page: number) => {
    const answer = await listWatchlist({ client, signal, throwOnError: true, query: { ...query, ...filter, page } });
    return answer.data;
  };
  const readByExpiry = readOnce(read({}));
  const [undatedNames, expiring, deleted] = await Promise.all([
    readUndated(readByExpiry),
    readEntries(readByExpiry, span),
    readEntries(read({ status: 'pending_delete' }), null),
  ]);
  const living = [...undatedNames.entries, ...expiring.entries].filter(({ status }) => status !== 'pending_delete');
  const items = [...living, ...deleted.entries]
    .map((entry) => toAgendaItem(entry, span))
    .filter((item) => item !== null);
  const undated = deleted.entries
    .filter(({ lifecycle }) => !lifecycle?.drop_window)
    .map(({ id, domain, status, lifecycle }) => ({ entryId: id, domain, phase: lifecycle?.phase ?? status }));
  return { items, undated, isCut: expiring.isCut || deleted.isCut, areRenewalsCut: undatedNames.isCut };
}
