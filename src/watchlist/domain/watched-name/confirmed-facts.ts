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
  readonly formerProofAt: Date | null;
  /** What it rests on; both looks where it took two. */
  readonly evidence: readonly Evidence[];
}

/**
 * The same as it may be shown to an account that has watched the name since then, where accounts are isolated from each
 * other: what was looked at before, somebody else had looked at.
 */
export function visibleEvidencedFacts(testimony: EvidencedFacts, since: Date): EvidencedFacts {
  const { observedAt, confirmedAt, formerProofAt, evidence } = testimony;
  return {
    ...testimony,
    observedAt: later(observedAt, since),
    confirmedAt: later(confirmedAt, since),
    formerProofAt: formerProofAt && formerProofAt >= since ? formerProofAt : null,
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
export function visibleFacts(proven: ConfirmedFacts | null, since: Date): ConfirmedFacts | null {
  if (!proven || proven.confirmedAt < since) return null;
  return { ...proven, observedAt: later(proven.observedAt, since) };
}

/** As visibleEvidencedFacts; how often they failed before then is not said either. */
export function visibleFailureStreak(failing: FailureStreak, since: Date): FailureStreak {
  return failing.since < since ? { ...failing, since, failures: 1 } : failing;
}

/** An absence is old news sooner than a registration. */
const ABSENCE_IS_RECENT_FOR = MINUTE;

/** Whether facts were proven within the interval, and an absence within a minute. */
export function isRecent(proven: ConfirmedFacts, intervalMinutes: number, now: Date, timeScale: number): boolean {
  const limit = proven.facts.outcome === 'absent' ? ABSENCE_IS_RECENT_FOR : intervalMinutes * MINUTE;
  return now.getTime() - proven.confirmedAt.getTime() <= limit / timeScale;
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
