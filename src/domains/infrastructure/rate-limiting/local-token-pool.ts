import { SECOND } from '../../../kernel/clock.js';
import type { LookupPriority, OperatorBudget } from '../../domain/lookup/operator-budget.js';
import type { TokenBuckets } from './token-buckets.js';

/** Tokens that were not used by then are lost; longer where the next one is far; milliseconds. */
const HOLD_MS = SECOND;
const MAX_HOLD_MS = 10 * SECOND;

/**
 * The tokens of one operator that this process has in hand. They come from the shared store in blocks: one at first,
 * twice as many whenever the last block was used up within its second, a second's worth at most.
 */
export class LocalTokenPool {
  private tokens = 0;
  private expiresAt = 0;
  private lastBlockSize = 0;
  private readonly emptyUntilByBucket = { urgent: 0, routine: 0 };
  private isReplenishing = false;

  constructor(
    private readonly operator: string,
    private readonly budget: OperatorBudget,
    private readonly buckets: TokenBuckets,
  ) {}

  hasToken(): boolean {
    return this.budget.perSecond === 0 || (this.tokens > 0 && performance.now() < this.expiresAt);
  }

  /** For how many of these the hand suffices; one at least, which may be paid for. */
  servableCount(waitingCount: number): number {
    return this.budget.perSecond === 0 ? waitingCount : Math.max(1, Math.min(waitingCount, this.tokens));
  }

  consume(): void {
    if (this.budget.perSecond > 0) this.tokens -= 1;
  }

  /** Until when the store is known to have none for this lane, by the monotonic timer. */
  emptyUntil(priority: LookupPriority): number {
    return priority === 'routine'
      ? Math.max(this.emptyUntilByBucket.urgent, this.emptyUntilByBucket.routine)
      : this.emptyUntilByBucket.urgent;
  }

  /** @returns false when there was nothing to do: the store is being asked already, or is known to be empty. */
  async replenish(priority: LookupPriority, waitingCount: number, now: number): Promise<boolean> {
    if (this.isReplenishing || now < this.emptyUntil(priority)) return false;
    this.isReplenishing = true;
    try {
      await this.fetchBlock(this.nextBlockSize(waitingCount), priority);
      return true;
    } finally {
      this.isReplenishing = false;
    }
  }

  /** Straight from the store, for somebody who will use them elsewhere. */
  async reserve(tokens: number, priority: LookupPriority): Promise<number> {
    if (this.budget.perSecond === 0) return tokens;
    if (performance.now() < this.emptyUntil(priority)) return 0;
    const grant = await this.buckets.take(this.operator, this.budget, tokens, priority);
    this.recordWait(grant.waitMs, priority);
    return grant.tokens;
  }

  private async fetchBlock(blockSize: number, priority: LookupPriority): Promise<void> {
    const grant = await this.buckets.take(this.operator, this.budget, blockSize, priority);
    this.recordWait(grant.waitMs, priority);
    if (grant.tokens === 0) return;
    this.tokens = grant.tokens;
    this.lastBlockSize = grant.tokens;
    this.expiresAt = performance.now() + Math.max(HOLD_MS, Math.min(SECOND / this.budget.perSecond, MAX_HOLD_MS));
  }

  private recordWait(waitMs: number, priority: LookupPriority): void {
    if (waitMs > 0) this.emptyUntilByBucket[priority === 'routine' ? 'routine' : 'urgent'] = performance.now() + waitMs;
  }

  private nextBlockSize(waitingCount: number): number {
    const wasUsedUp = this.tokens === 0 && performance.now() < this.expiresAt;
    const desired = Math.max(waitingCount, wasUsedUp ? this.lastBlockSize * 2 : 1);
    return Math.min(desired, Math.max(1, Math.ceil(this.budget.perSecond)));
  }
}
