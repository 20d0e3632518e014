import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { Evidence, EvidenceSource, RegistrationFacts } from '../../domains/language.js';

/** Facts that may change the status of an entry. Some changes count only after two lookups or protocols agree. */
export interface ConfirmedFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The first and the last lookup that returned these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

export interface ConfirmedFactsWithEvidence extends ConfirmedFacts {
  /** When the previous facts were last confirmed; null if there were none or the time is unknown. */
  readonly previousConfirmedAt: Date | null;
  readonly evidence: readonly Evidence[];
}

export interface FailureStreak {
  readonly code: string;
  readonly since: Date;
  readonly failures: number;
}

/** Process clocks differ by at most this. Facts with a later time were confirmed before the clock was put back. */
const CLOCK_SKEW_MS = SECOND;
const RECENT_ABSENCE_MINUTES = 1;

/** Whether the facts were confirmed within the interval. A "not found" must have been confirmed within a minute. */
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
