import type { AuditRecord, AuditTrail } from '../../../../clients/typescript/src/index.js';

/** A part of the trail, of which all records were read. */
interface RecordsBefore {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** The instant before which older records are; null when there are none. */
  readonly olderBefore: string | null;
}

/** One request: all records from `since` on and before `until`, oldest first, as many as an answer may hold. */
export type ReadSpan = (span: { readonly since: string; readonly until: string }) => Promise<AuditTrail>;

const DAY_MS = 86_400_000;
/** Fewer on the screen are too few to stop at. */
const ENOUGH = 25;
const WIDEST_MS = 400 * DAY_MS;
const NARROWEST_MS = 1_000;

/**
 * The newest records before an instant. The API reads forward, so spans of time are read backward: wider ones where little
 * happened, and narrower ones where more happened than an answer holds.
 * @param oldest records before it are not read
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
