import type { Evidence } from '../lookup/lookup-result.js';
import type { DsRecord } from './ds-record.js';
import { areRecordValuesEqual, getRecordValue, type RecordValue } from './record-values.js';
import { UNKNOWN_RECORD } from './registration-record.js';

/** What the servers of the zone above a name publish about it. */
export interface ParentZoneAnswer {
  /** Empty: the name is not delegated. null: no answer to build on. */
  readonly nameservers: readonly string[] | null;
  /** Empty: the delegation is not signed. null: no answer to build on. */
  readonly ds: readonly DsRecord[] | null;
  readonly evidence: readonly Evidence[];
}

/** `contradicted` as well while a name is on hold: its registry has name servers that are not published. */
export type ParentZoneVerdict = 'confirmed' | 'contradicted' | 'inconclusive';

/** Whether the parent zone publishes what a registry says. */
export function confirmInParentZone(
  kind: 'nameservers' | 'ds',
  value: RecordValue,
  { nameservers, ds }: ParentZoneAnswer,
): ParentZoneVerdict {
  const published = getRecordValue({ ...UNKNOWN_RECORD, nameservers, ds }, kind);
  if (published === null) return 'inconclusive';
  return areRecordValuesEqual(kind, value, published) ? 'confirmed' : 'contradicted';
}
