import { isTransferLocked, type RegistrationRecord } from '../../domains/language.js';
import { EXPECTED_MEMBERS, type ExpectedMember, type ExpectedRecord } from './entry-settings.js';
import type { RecordUpdate } from './record-rules.js';
import { type RecordValues, toRecord } from './record-values.js';

/** The record's values that a watcher can expect. null means that the registry publishes no value. */
export type ActualRecord = { readonly [Member in ExpectedMember]: Required<ExpectedRecord>[Member] | null };

const NOTHING: ActualRecord = { nameservers: null, registrar_id: null, locked: null };

function toActual(record: RegistrationRecord | null): ActualRecord {
  if (!record) return NOTHING;
  return {
    nameservers: record.nameservers,
    registrar_id: record.registrar?.ianaId ?? null,
    locked: isTransferLocked(record.statuses),
  };
}

/** Makes an expected record from the values that the registry shows now. Returns null if the registry shows none. */
export function expectedAsShown(record: RegistrationRecord | null): ExpectedRecord | null {
  const said = Object.entries(toActual(record)).filter(([, value]) => value !== null);
  return said.length === 0 ? null : Object.fromEntries(said);
}

/**
 * Returns which values differ from the expected values (drift). A value that the registry does not publish counts as
 * equal.
 */
export function findDrift(expected: ExpectedRecord | null, record: RegistrationRecord | null): ExpectedMember[] {
  if (!expected) return [];
  const actual = toActual(record);
  return EXPECTED_MEMBERS.filter(
    (member) =>
      expected[member] !== undefined &&
      actual[member] !== null &&
      JSON.stringify(expected[member]) !== JSON.stringify(actual[member]),
  );
}

/** The values that differ from the expected record: `before` the registry's latest answer, and `now`. */
export interface DriftTurn {
  readonly before: readonly ExpectedMember[];
  readonly now: readonly ExpectedMember[];
  readonly actual: ActualRecord;
}

export function toValues(updates: readonly RecordUpdate[]): RecordValues {
  return Object.fromEntries(updates.map(({ kind, value }) => [kind, value])) as RecordValues;
}

/** Treats all current differences as new, so `before` is empty. Returns null if no value differs. */
export function findCurrentDrift(expected: ExpectedRecord | null, shown: RecordValues | null): DriftTurn | null {
  const record = shown && toRecord(shown);
  const now = findDrift(expected, record);
  return now.length === 0 ? null : { before: [], now, actual: toActual(record) };
}

/**
 * Returns null if the same values differ from `expected` as before, or if this is the first record.
 * @param shown the record before the updates; null if no record was known
 */
export function findDriftTurn(
  expected: ExpectedRecord | null,
  shown: RecordValues | null,
  updates: readonly RecordUpdate[],
): DriftTurn | null {
  if (!expected || !shown) return null;
  const record = toRecord({ ...shown, ...toValues(updates) });
  const [before, now] = [findDrift(expected, toRecord(shown)), findDrift(expected, record)];
  return before.join() === now.join() ? null : { before, now, actual: toActual(record) };
}
