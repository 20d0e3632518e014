import { type Evidence, RECORD_KINDS, type RegistrationRecord } from '../../domains/language.js';
import { latest } from '../../kernel/clock.js';
import type { ConfirmedFacts, ConfirmedFactsWithEvidence, FailureStreak } from './confirmed-facts.js';
import type { PendingConfirmation } from './confirmation.js';
import type { RecordState } from './record-rules.js';
import { type RecordValues, toRecord } from './record-values.js';

/*
 * An entry shows what was found of its name since the entry exists. Checks for other accounts found the rest, and would tell
 * that they watch the name. visible-columns.sql.ts has the rule for queries.
 */

interface Watching {
  readonly createdAt: Date;
}

export function confirmedSince({ createdAt }: Watching, facts: ConfirmedFacts | null): ConfirmedFacts | null {
  return facts && facts.confirmedAt >= createdAt ? { ...facts, observedAt: latest(facts.observedAt, createdAt) } : null;
}

export function evidencedSince(entry: Watching, facts: ConfirmedFactsWithEvidence): ConfirmedFactsWithEvidence {
  const { createdAt: since } = entry;
  const { observedAt, confirmedAt, previousConfirmedAt, evidence } = facts;
  return {
    ...facts,
    observedAt: latest(observedAt, since),
    confirmedAt: latest(confirmedAt, since),
    previousConfirmedAt: previousConfirmedAt && previousConfirmedAt >= since ? previousConfirmedAt : null,
    evidence: evidenceSince(since, evidence),
  };
}

/** Where two lookups were needed, the first may be older than the entry. */
export function evidenceSince(since: Date, evidence: readonly Evidence[]): readonly Evidence[] {
  return evidence.filter(({ observedAt }) => observedAt >= since);
}

/** The state of a name beside the values of its record. */
export interface RecordKnowledge {
  readonly recordState: RecordState | null;
  /** The last lookup whose facts count. */
  readonly factsConfirmedAt: Date | null;
}

/** The values that were seen since; null: the entry shows no record yet. */
export function valuesSince(
  { createdAt: since }: Watching,
  { recordState, factsConfirmedAt }: RecordKnowledge,
  values: RecordValues,
): RecordValues | null {
  if (!factsConfirmedAt || factsConfirmedAt < since) return null;
  const seen = RECORD_KINDS.filter((kind) => (recordState?.[kind]?.lastSeenAt ?? factsConfirmedAt) >= since);
  return Object.fromEntries(seen.map((kind) => [kind, values[kind]])) as RecordValues;
}

export function recordSince(entry: Watching, known: RecordKnowledge, values: RecordValues): RegistrationRecord | null {
  const shown = valuesSince(entry, known, values);
  return shown && toRecord(shown);
}

/** Earlier failures are not counted. */
export function failuresSince({ createdAt: since }: Watching, streak: FailureStreak): FailureStreak {
  return streak.since < since ? { ...streak, since, failures: 1 } : streak;
}

export function pendingSince(
  { createdAt: since }: Watching,
  pending: PendingConfirmation | null,
): PendingConfirmation | null {
  if (!pending || pending.firstSeenAt >= since) return pending;
  return { ...pending, firstSeenAt: since, notBefore: latest(pending.notBefore, since) };
}
