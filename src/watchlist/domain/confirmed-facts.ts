import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import type { Evidence, EvidenceSource, RegistrationFacts } from '../../domains/language.js';

/** Facts that may move an entry: observed, and confirmed where a second witness is needed. */
export interface ConfirmedFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The first and the last lookup that returned these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

/** Confirmed facts with what the history of an entry stores about them. */
export interface ConfirmedFactsWithEvidence extends ConfirmedFacts {
  /** When the previous facts were last confirmed; null when there were none or it is unknown. */
  readonly previousConfirmedAt: Date | null;
  /** Evidence of both lookups, where it took two. */
  readonly evidence: readonly Evidence[];
}

export interface FailureStreak {
  readonly code: string;
  readonly since: Date;
  readonly failures: number;
}

/** The clocks of processes differ by no more. Facts from further ahead were confirmed before the clock was put back. */
const CLOCK_SKEW_MS = SECOND;
/** An absence is outdated sooner than a registration. */
const RECENT_ABSENCE_MINUTES = 1;

/** Whether the facts were confirmed within the interval; for an absence, within a minute. */
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
