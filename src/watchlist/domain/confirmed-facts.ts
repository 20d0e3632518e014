import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { Evidence, EvidenceSource, RegistrationFacts } from '../../domains/language.js';

/** Facts that may change the status of entries. Some changes need two lookups or two protocols that agree. */
export interface ConfirmedFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The times of the first and the last lookup that returned these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

export interface ConfirmedFactsWithEvidence extends ConfirmedFacts {
  /** When the previous facts were last confirmed; null without previous facts, or if the time is unknown. */
  readonly previousConfirmedAt: Date | null;
  readonly evidence: readonly Evidence[];
}

export interface FailureStreak {
  readonly code: string;
  readonly since: Date;
  readonly failures: number;
}

/**
 * How far the clocks of processes may differ. Facts further in the future were confirmed before the clock was put back.
 */
const CLOCK_SKEW_MS = SECOND;
const RECENT_ABSENCE_MINUTES = 1;

/** Whether the facts were confirmed within the interval, or a "not found" within the last minute. */
export function isRecent(
  confirmed: ConfirmedFacts,
  intervalMinutes: number,
  now: Date,
  { minute }: TimeUnits,
): boolean {
  const limit = confirmed.facts.outcome === 'absent' ? RECENT_ABSENCE_MINUTES : intervalMinutes;
  const ageMs = now.getTime() - confirmed.confirmedAt.getTime();
  return ageMs >= -CLOCK_SKEW_MS && ageMs <= limit * minute;
}
