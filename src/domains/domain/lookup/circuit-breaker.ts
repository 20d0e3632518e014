import { after, MINUTE, SECOND } from '../../../kernel/clock.js';

/** An operator that failed so often in a row that it is asked no more, but for one question when the time comes. */
export interface OpenBreaker {
  readonly since: Date;
  /** When one question is let through; its answer mends the breaker, its failure opens it for twice as long. */
  readonly retryAt: Date;
  /** How often it has opened without an answer in between. */
  readonly openings: number;
}

const MIN_FAILURES = 10;
const MIN_NAMES = 3;
const FIRST_PAUSE_MS = 30 * SECOND;
const MAX_PAUSE_MS = 5 * MINUTE;

/**
 * An operator's failures of late, in this process, with no answer in between. One name that is asked again and again
 * counts once until another fails too, and a few names are needed: the operator may be well, and only their records ill.
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

  /** To open the breaker. */
  get shouldTrip(): boolean {
    return this.count >= MIN_FAILURES && this.names.size >= MIN_NAMES;
  }
}

/** Broken now, or still. */
export function trip(before: OpenBreaker | null, now: Date): OpenBreaker {
  const openings = (before?.openings ?? 0) + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (openings - 1), MAX_PAUSE_MS);
  return { since: before?.since ?? now, retryAt: after(now, pauseMs), openings };
}

export type BreakerState = 'closed' | 'open' | 'half_open';

export function breakerState(openBreaker: OpenBreaker | null, now: Date): BreakerState {
  if (!openBreaker) return 'closed';
  return openBreaker.retryAt > now ? 'open' : 'half_open';
}
