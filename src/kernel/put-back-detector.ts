import { type Clock, MINUTE, SECOND } from './clock.js';

/** A move by less is a correction. */
const TOLERANCE_MS = 10 * SECOND;
/** Processes read the database's time every half minute; so long some may still write times of the clock before. */
const NOTICED_BY_ALL_MS = 2 * MINUTE;

/** Notices that the clock was put back, by the monotonic timer, if it is asked every few seconds. */
export class PutBackDetector {
  private last: { readonly nowMs: number; readonly elapsedMs: number } | null = null;
  private noticedAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether it was put back within the last two minutes. */
  wasPutBack(): boolean {
    const current = { nowMs: this.clock.now().getTime(), elapsedMs: performance.now() };
    const { last } = this;
    this.last = current;
    if (last && current.nowMs - last.nowMs < current.elapsedMs - last.elapsedMs - TOLERANCE_MS)
      this.noticedAt = current.elapsedMs;
    return current.elapsedMs - this.noticedAt < NOTICED_BY_ALL_MS;
  }
}
