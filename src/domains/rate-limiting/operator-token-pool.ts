import { SECOND } from '../../kernel/clock.js';
import { LocalTokenPool } from '../../kernel/local-token-pool.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import type { LookupPriority } from '../domain/lookup/operator-budget.js';
import type { TokenBuckets } from './token-buckets.js';

/** Unused tokens expire after a second, or after the time of one token at slow rates, at most ten seconds. */
const HOLD_MS = SECOND;
const MAX_HOLD_MS = 10 * SECOND;

/** The tokens of one operator that this process holds: at most a second's worth, from the shared buckets. */
export class OperatorTokenPool {
  private readonly pool: LocalTokenPool;
  private readonly isUnlimited: boolean;
  private readonly holdMs: number;
  private readonly emptyUntilByBucket = { urgent: 0, routine: 0 };
  private isReplenishing = false;

  constructor(
    private readonly operator: string,
    private readonly budget: OperatorBudget,
    private readonly buckets: TokenBuckets,
  ) {
    const { perSecond } = budget;
    const max = Math.max(1, Math.ceil(perSecond));
    this.pool = new LocalTokenPool({ min: 1, max, limit: max, afterIdle: 'min' });
    this.isUnlimited = perSecond === 0;
    this.holdMs = Math.max(HOLD_MS, Math.min(SECOND / perSecond, MAX_HOLD_MS));
  }

  hasToken(): boolean {
    return this.isUnlimited || this.pool.hasToken(performance.now());
  }

  /** How many of the waiting requests can be served; at least one, which may have its token already. */
  servableCount(waitingCount: number): number {
    return this.isUnlimited ? waitingCount : Math.max(1, Math.min(waitingCount, this.pool.size));
  }

  consume(): void {
    if (!this.isUnlimited) this.pool.take();
  }

  /** Until when the store is known to have no token for this priority; performance.now() time. */
  emptyUntil(priority: LookupPriority): number {
    return priority === 'routine'
      ? Math.max(this.emptyUntilByBucket.urgent, this.emptyUntilByBucket.routine)
      : this.emptyUntilByBucket.urgent;
  }

  /** @returns false when nothing was done: a request to the store is in flight, or the store is known to be empty */
  async replenish(priority: LookupPriority, waitingCount: number, now: number): Promise<boolean> {
    if (this.isReplenishing || now < this.emptyUntil(priority)) return false;
    this.isReplenishing = true;
    try {
      await this.fetchBlock(waitingCount, priority);
      return true;
    } finally {
      this.isReplenishing = false;
    }
  }

  /** Takes tokens straight from the store, for requests that the caller sends itself. */
  async reserve(tokens: number, priority: LookupPriority): Promise<number> {
    if (this.isUnlimited) return tokens;
    return performance.now() < this.emptyUntil(priority) ? 0 : this.takeFromStore(tokens, priority);
  }

  private async fetchBlock(waitingCount: number, priority: LookupPriority): Promise<void> {
    const size = this.pool.nextBlockSize(waitingCount, performance.now());
    const tokens = await this.takeFromStore(size, priority);
    const now = performance.now();
    if (tokens > 0) this.pool.add(tokens, now + this.holdMs, now);
  }

  private async takeFromStore(tokens: number, priority: LookupPriority): Promise<number> {
    const grant = await this.buckets.take(this.operator, this.budget, tokens, priority);
    const bucket = priority === 'routine' ? 'routine' : 'urgent';
    if (grant.waitMs > 0) this.emptyUntilByBucket[bucket] = performance.now() + grant.waitMs;
    return grant.tokens;
  }
}
