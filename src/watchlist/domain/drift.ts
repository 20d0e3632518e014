import { isTransferLocked, RECORD_KINDS, type RecordKind, type RegistrationRecord } from '../../domains/language.js';
import { EXPECTED_MEMBERS, type ExpectedMember, type ExpectedRecord } from './entry-settings.js';
import type { RecordState, RecordUpdate } from './record-rules.js';
import { type RecordValues, toRecord } from './record-values.js';

/** What a record shows of the members that can be expected; null: the registry does not say. */
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

/** The members that differ from the record. What the registry does not say is no difference. */
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

/** What was known of a name before an answer was applied. */
export interface EarlierKnowledge {
  readonly recordState: RecordState | null;
  /** The last lookup whose facts count. */
  readonly factsConfirmedAt: Date | null;
}

/** A record that stopped matching what is expected, or began to. */
export interface DriftTurn {
  readonly before: readonly ExpectedMember[];
  readonly now: readonly ExpectedMember[];
  readonly actual: ActualRecord;
}

/** What of the record was seen since the entry began to see its name. */
function shownValues(
  values: RecordValues,
  { recordState, factsConfirmedAt }: EarlierKnowledge,
  since: Date,
): RecordValues {
  if (!recordState || !factsConfirmedAt || factsConfirmedAt < since) return {};
  const isShown = (kind: RecordKind) => {
    const known = recordState[kind];
    return known !== undefined && (known.lastSeenAt ?? factsConfirmedAt) >= since;
  };
  return Object.fromEntries(RECORD_KINDS.filter(isShown).map((kind) => [kind, values[kind]])) as RecordValues;
}

export function toValues(updates: readonly RecordUpdate[]): RecordValues {
  return Object.fromEntries(updates.map(({ kind, value }) => [kind, value])) as RecordValues;
}

/** What differs from what is expected already, for those who ask to be told; null: nothing does. */
export function findCurrentDrift(
  expected: ExpectedRecord | null,
  values: RecordValues,
  known: EarlierKnowledge,
  since: Date,
): DriftTurn | null {
  const record = toRecord(shownValues(values, known, since));
  const now = findDrift(expected, record);
  return now.length === 0 ? null : { before: [], now, actual: toActual(record) };
}

/**
 * Compares what an entry was shown before an answer with what it is shown after it. What the entry was shown first is
 * the start: that it differs from what is expected is shown, and is no turn.
 * @param values the record before the answer
 * @param since when the entry began to see its name; what was last seen before that it is not shown
 */
export function findDriftTurn(
  expected: ExpectedRecord | null,
  values: RecordValues,
  updates: readonly RecordUpdate[],
  earlier: EarlierKnowledge,
  since: Date,
): DriftTurn | null {
  const { recordState, factsConfirmedAt } = earlier;
  if (!expected || !recordState || !factsConfirmedAt || factsConfirmedAt < since) return null;
  const shown = shownValues(values, earlier, since);
  const record = toRecord({ ...shown, ...toValues(updates) });
  const [before, now] = [findDrift(expected, toRecord(shown)), findDrift(expected, record)];
  return before.join() === now.join() ? null : { before, now, actual: toActual(record) };
}
