import { type Connection, getJson } from '../api/api-client.js';
import { table } from '../terminal/table.js';

interface Interval {
  readonly status: string;
  readonly phase: string;
  readonly first_seen_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string | null;
}
interface HistoryPage {
  readonly data: readonly Interval[];
  readonly meta: { readonly page: number; readonly per_page: number; readonly total: number };
  /** null while the entry is on the watchlist. */
  readonly removed: Removal | null;
}
interface Removal {
  readonly domain: string;
  readonly added_at: string;
  readonly removed_at: string;
  readonly request_id: string | null;
}

/** @param path below the API: that of the entry */
export async function readHistory(path: string, page: number, connection: Connection): Promise<HistoryPage> {
  return (await getJson(`${path}/history?page=${page}`, connection)) as HistoryPage;
}

/** @returns null when nothing is kept of any entry with this name that was removed */
export async function findNewestRemovedId(domain: string, connection: Connection): Promise<string | null> {
  const query = new URLSearchParams({ domain, per_page: '1' });
  const { data } = (await getJson(`/v1/watchlist/removed?${query.toString()}`, connection)) as {
    readonly data: readonly { readonly id: string }[];
  };
  return data[0]?.id ?? null;
}

/** The removal first: it is what is looked for when a name is gone. */
export function toHistoryLines({ data, meta, removed }: HistoryPage): string[] {
  const gone = removed ? [toRemovalLine(removed)] : [];
  if (data.length === 0) return [...gone, 'no status was confirmed, or what was is no longer kept'];
  const rows = data.map((one) => [
    ...[one.status, one.phase].map((word) => word.replaceAll('_', ' ')),
    ...[one.first_seen_at, one.last_seen_at, one.expires_at ?? '-'],
  ]);
  const lines = table(['STATUS', 'PHASE', 'FIRST SEEN', 'LAST SEEN', 'EXPIRES'], rows);
  const pages = Math.ceil(meta.total / meta.per_page);
  return [...gone, ...lines, ...(pages > 1 ? [`page ${meta.page} of ${pages}`] : [])];
}

function toRemovalLine({ domain, added_at, removed_at, request_id }: Removal): string {
  const by = request_id === null ? '' : ` by request ${request_id}`;
  return `${domain} was added on ${added_at}, removed on ${removed_at}${by}`;
}
