import { MINUTE, SECOND } from '../../../kernel/clock.js';

/** The state of an operator that failed repeatedly: no query is sent, except one probe after a pause. */
export interface OpenBreaker {
  readonly since: Date;
  /** When the probe is sent. An answer closes the breaker, a failure opens it again. */
  readonly retryAt: Date;
  /** How often the breaker has opened since the last answer. */
  readonly openings: number;
}

const MIN_FAILURES = 10;
const MIN_NAMES = 3;
/** Each further pause is twice as long as the one before, up to the maximum. */
export const FIRST_PAUSE_MS = 30 * SECOND;
export const MAX_PAUSE_MS = 5 * MINUTE;

/**
 * Counts an operator's failures since its last answer. Several names must fail, because one name's record may be
 * faulty. Consecutive failures of one name count once.
 */
export class ConsecutiveFailures {
  private readonly names = new Set<string>();
  private last: string | null = null;
  private count = 0;

  add(name: string): void {
    if (name !== this.last) this.count += 1;
    this.last = name;
    if (this.names.size < MIN_NAMES) this.names.add(name);
  }

  get shouldTrip(): boolean {
    return this.count >= MIN_FAILURES && this.names.size >= MIN_NAMES;
  }
}

export type BreakerState = 'closed' | 'open' | 'half_open';

export function breakerState(openBreaker: OpenBreaker | null, now: Date): BreakerState {
  if (!openBreaker) return 'closed';
  return openBreaker.retryAt > now ? 'open' : 'half_open';
}
