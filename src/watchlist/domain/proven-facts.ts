import { MINUTE } from '../../kernel/clock.js';
import type { Evidence, EvidenceSource, RegistrationFacts } from '../../domains/language.js';

/** Facts that an entry may be moved by: proven, and confirmed where a second witness is needed. */
export interface ProvenFacts {
  readonly facts: RegistrationFacts;
  readonly source: EvidenceSource;
  /** The first and the last look that proved these facts. */
  readonly observedAt: Date;
  readonly confirmedAt: Date;
}

/** Facts together with what an entry's history keeps of them. */
export interface Testimony extends ProvenFacts {
  /** The last proof of what was before; null where there was none, or nobody knows any more. */
  readonly formerProofAt: Date | null;
  /** What it rests on; both looks where it took two. */
  readonly evidence: readonly Evidence[];
}

/** Looks at a name fail. */
export interface Failing {
  /** Of the last failure. */
  readonly code: string;
  readonly since: Date;
  /** In a row. */
  readonly failures: number;
}

/** An absence is old news sooner than a registration. */
const ABSENCE_IS_RECENT_FOR = MINUTE;

/** Whether facts were proven within the interval, and an absence within a minute. */
export function isRecent(proven: ProvenFacts, intervalMinutes: number, now: Date, timeScale: number): boolean {
  const limit = proven.facts.outcome === 'absent' ? ABSENCE_IS_RECENT_FOR : intervalMinutes * MINUTE;
  return now.getTime() - proven.confirmedAt.getTime() <= limit / timeScale;
}
