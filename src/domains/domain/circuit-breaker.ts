import { after, MINUTE, SECOND } from '../../kernel/clock.js';

/** An operator that failed so often in a row that it is asked no more, but for one question when the time comes. */
export interface Breakage {
  readonly since: Date;
  /** When one question is let through; its answer mends the breaker, its failure opens it for twice as long. */
  readonly retryAt: Date;
  /** How often it has opened without an answer in between. */
  readonly openings: number;
}

const FAILURES = 10;
const NAMES = 3;
const FIRST_PAUSE = 30 * SECOND;
const LONGEST_PAUSE = 5 * MINUTE;

/**
 * An operator's failures of late, in this process, with no answer in between. One name that is asked again and again
 * counts once until another fails too, and a few names are needed: the operator may be well, and only their records ill.
 */
export class FailuresInARow {
  private readonly names = new Set<string>();
  private last: string | null = null;
  private count = 0;

  add(name: string): void {
    if (name !== this.last) this.count += 1;
    this.last = name;
    if (this.names.size < NAMES) this.names.add(name);
  }

  /** To open the breaker. */
  get areEnough(): boolean {
    return this.count >= FAILURES && this.names.size >= NAMES;
  }
}

/** Broken now, or still. */
export function broken(before: Breakage | null, now: Date): Breakage {
  const openings = (before?.openings ?? 0) + 1;
  const pause = Math.min(FIRST_PAUSE * 2 ** (openings - 1), LONGEST_PAUSE);
  return { since: before?.since ?? now, retryAt: after(now, pause), openings };
}

export type BreakerState = 'closed' | 'open' | 'half_open';

export function breakerState(breakage: Breakage | null, now: Date): BreakerState {
  if (!breakage) return 'closed';
  return breakage.retryAt > now ? 'open' : 'half_open';
}
