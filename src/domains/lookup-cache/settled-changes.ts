import { after } from '../../kernel/clock.js';
import { CHANGES_LOOKBACK_MS } from './lookup-coordinator.js';

/** What the database said of its transactions when a poll began. */
export interface TransactionHorizon {
  /** By its clock, read first. */
  readonly at: Date;
  /** The lowest number of a transaction that has not ended. */
  readonly oldest: bigint;
  /** The number that the next transaction gets. */
  readonly next: bigint;
}

/**
 * Until when all changes can be read. A change is dated once its transaction has a number, so those dated before a poll
 * have lower numbers than the next one at that poll, and are settled when a later poll finds that number the oldest.
 * Who made them, and whether PostgreSQL shows what that session does, is of no matter.
 */
export class SettledChanges {
  private horizons: readonly TransactionHorizon[] = [];

  /** @returns the time before which every later statement sees each change; long ago if that is not known */
  settledAt(current: TransactionHorizon): Date {
    const wasSetBack = this.horizons.some(({ at }) => at > current.at);
    const known = wasSetBack ? [] : [...this.horizons, current];
    const settled = known.findLast(({ next }) => next <= current.oldest);
    const kept = after(current.at, -CHANGES_LOOKBACK_MS);
    this.horizons = known.filter(({ at }) => at >= (settled?.at ?? kept) && at >= kept);
    return settled?.at ?? new Date(0);
  }
}
