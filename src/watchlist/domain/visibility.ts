import { type Evidence, RECORD_KINDS, type RegistrationRecord } from '../../domains/language.js';
import { latest } from '../../kernel/clock.js';
import type { ConfirmedFacts, ConfirmedFactsWithEvidence, FailureStreak } from './confirmed-facts.js';
import type { PendingConfirmation } from './confirmation.js';
import type { RecordState } from './record-rules.js';
import { type RecordValues, toRecord } from './record-values.js';

/**
 * An entry hides findings from before it was added, because they would reveal another account's watch.
 * visible-columns.sql.ts repeats this rule.
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

/** Leaves out evidence from before the entry was added, such as the first of two lookups that confirmed a change. */
export function evidenceSince(since: Date, evidence: readonly Evidence[]): readonly Evidence[] {
  return evidence.filter(({ observedAt }) => observedAt >= since);
}

export interface RecordKnowledge {
  readonly recordState: RecordState | null;
  readonly factsConfirmedAt: Date | null;
}

/**
 * Returns the record's values that were seen since the entry was added. Returns null if no record was confirmed since
 * then.
 */
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

/** Failures that began before the entry was added count as one failure at the entry's creation. */
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
