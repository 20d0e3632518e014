import { isTransferLocked, type RegistrationRecord } from '../../domains/language.js';
import { EXPECTED_MEMBERS, type ExpectedMember, type ExpectedRecord } from './entry-settings.js';
import type { RecordUpdate } from './record-rules.js';
import { type RecordValues, toRecord } from './record-values.js';

/**
 * The actual values of a registration record, for the members that a watcher can expect. null means that the registry
 * publishes no value.
 */
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

/**
 * Makes an expected record from the values that the record shows now. Returns null if the record shows none of these
 * values.
 */
export function expectedAsShown(record: RegistrationRecord | null): ExpectedRecord | null {
  const said = Object.entries(toActual(record)).filter(([, value]) => value !== null);
  return said.length === 0 ? null : Object.fromEntries(said);
}

/**
 * Returns which expected values differ from the registration record. A value that the registry does not publish counts
 * as equal.
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

/**
 * A change in the list of values that differ from the watcher's expected values. `before` lists those that differed
 * until the registry's latest answer, `now` those that differ by this answer.
 */
export interface DriftTurn {
  readonly before: readonly ExpectedMember[];
  readonly now: readonly ExpectedMember[];
  readonly actual: ActualRecord;
}

export function toValues(updates: readonly RecordUpdate[]): RecordValues {
  return Object.fromEntries(updates.map(({ kind, value }) => [kind, value])) as RecordValues;
}

/**
 * Returns all values that differ from the expected record now; null if no value differs. Treats all differences as new,
 * so `before` is empty.
 */
export function findCurrentDrift(expected: ExpectedRecord | null, shown: RecordValues | null): DriftTurn | null {
  const record = shown && toRecord(shown);
  const now = findDrift(expected, record);
  return now.length === 0 ? null : { before: [], now, actual: toActual(record) };
}

/**
 * Compares the record before and after a registry's answer with the expected values. Returns null if the same values
 * differ as before. Also returns null for an entry's first record, because a first record causes no event.
 * @param shown the record before the answer; null if there was none
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
