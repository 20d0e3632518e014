import { MINUTE } from '../../../kernel/clock.js';
import type { Evidence, EvidenceSource, RegistrationFacts } from '../../../domains/language.js';

/** Facts that an entry may be moved by: proven, and confirmed where a second witness is needed. */
export interface ConfirmedFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The first and the last look that proved these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

/** Facts together with what an entry's history keeps of them. */
export interface EvidencedFacts extends ConfirmedFacts {
  /** The last proof of what was before; null where there was none, or nobody knows any more. */
  readonly previousConfirmedAt: Date | null;
  /** What it rests on; both looks where it took two. */
  readonly evidence: readonly Evidence[];
}

/**
 * The same as it may be shown to an account that has watched the name since then, where accounts are isolated from each
 * other: what was looked at before, somebody else had looked at.
 */
export function visibleEvidencedFacts(facts: EvidencedFacts, since: Date): EvidencedFacts {
  const { observedAt, confirmedAt, previousConfirmedAt: formerProofAt, evidence } = facts;
  return {
    ...facts,
    observedAt: latest(observedAt, since),
    confirmedAt: latest(confirmedAt, since),
    previousConfirmedAt: formerProofAt && formerProofAt >= since ? formerProofAt : null,
    evidence: evidence.filter((one) => one.observedAt >= since),
  };
}

/** Looks at a name fail. */
export interface FailureStreak {
  /** Of the last failure. */
  readonly code: string;
  readonly since: Date;
  /** In a row. */
  readonly failures: number;
}

/** As visibleEvidencedFacts; null where the last proof is from before then. */
export function visibleFacts(facts: ConfirmedFacts | null, since: Date): ConfirmedFacts | null {
  if (!facts || facts.confirmedAt < since) return null;
  return { ...facts, observedAt: latest(facts.observedAt, since) };
}

/** As visibleEvidencedFacts; how often they failed before then is not said either. */
export function visibleFailureStreak(streak: FailureStreak, since: Date): FailureStreak {
  return streak.since < since ? { ...streak, since, failures: 1 } : streak;
}

/** An absence is old news sooner than a registration. */
const RECENT_ABSENCE_MS = MINUTE;

/** Whether facts were proven within the interval, and an absence within a minute. */
export function isRecent(confirmed: ConfirmedFacts, intervalMinutes: number, now: Date, timeScale: number): boolean {
  const limit = confirmed.facts.outcome === 'absent' ? RECENT_ABSENCE_MS : intervalMinutes * MINUTE;
  return now.getTime() - confirmed.confirmedAt.getTime() <= limit / timeScale;
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
