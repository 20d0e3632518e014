import type { AuditRecord, AuditTrail } from '../../../../clients/typescript/src/index.js';

/** A part of the audit trail that was read completely. */
interface RecordsBefore {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** Older records are before this instant; null if there are none. */
  readonly olderBefore: string | null;
}

/** Reads the records from `since` on and before `until`, oldest first, up to the API's limit. */
export type ReadSpan = (span: { readonly since: string; readonly until: string }) => Promise<AuditTrail>;

const DAY_MS = 86_400_000;
/** Reading stops once it has this many records. */
const ENOUGH = 25;
const WIDEST_MS = 400 * DAY_MS;
const NARROWEST_MS = 1_000;

/**
 * Reads the newest records before an instant, although the API only reads forward. Widens the span of a request when
 * little happened, and narrows it when the response is full.
 * @param oldest records before this time are not read
 */
export async function readNewest(read: ReadSpan, before: string, oldest: string): Promise<RecordsBefore> {
  const records: AuditRecord[] = [];
  let until = Date.parse(before);
  let width = DAY_MS;
  const end = Date.parse(oldest);
  while (until > end) {
    const since = Math.max(end, until - width);
    const { data, meta } = await read({ since: toText(since), until: toText(until) });
    if (meta.has_more && width > NARROWEST_MS) {
      width = Math.max(NARROWEST_MS, Math.floor(width / 8));
      continue;
    }
    records.push(...data.toReversed());
    until = since;
    if (records.length >= ENOUGH) break;
    width = Math.min(WIDEST_MS, width * 8);
  }
  return { records, olderBefore: until > end ? toText(until) : null };
}

function toText(at: number): string {
  return new Date(at).toISOString();
}
