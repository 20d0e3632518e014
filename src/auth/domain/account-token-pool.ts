import { MINUTE, SECOND } from '../../kernel/clock.js';
import { LocalTokenPool } from '../../kernel/local-token-pool.js';
import type { RateLimitGrant, RateLimitStatus } from './rate-limit-store.js';

/** A larger share in one process would be missing in the others. */
const MAX_LOCAL_SHARE = 0.1;

/**
 * The request tokens of an account that one process holds: at least a second's worth, valid until the minute is over.
 * All times are those of performance.now().
 */
export class AccountTokenPool {
  private readonly pool: LocalTokenPool;
  /** Tokens in the shared store, as far as this process knows. */
  private remaining: number;
  private endsAt = -Infinity;

  /** @param limit requests in a minute, at least 1 */
  constructor(readonly limit: number) {
    this.remaining = limit;
    const min = Math.ceil(limit / (MINUTE / SECOND));
    const max = Math.max(min, Math.floor(limit * MAX_LOCAL_SHARE));
    this.pool = new LocalTokenPool({ min, max, limit, afterIdle: 'same' });
  }

  /** Takes a token for a request, if one is held. */
  tryTake(now: number): boolean {
    if (!this.pool.hasToken(now)) return false;
    this.pool.take();
    return true;
  }

  /** No token here, and none in the store as far as is known. */
  isExhausted(now: number): boolean {
    return this.pool.size === 0 && this.remaining === 0 && now < this.endsAt;
  }

  /** Whether to fetch the next block now, before a request has to wait for it. */
  isLow(now: number): boolean {
    return now < this.endsAt && this.remaining > 0 && this.pool.isLow;
  }

  nextBlockSize(waiting: number, now: number): number {
    return this.pool.nextBlockSize(waiting, now);
  }

  replenish({ tokens, remaining, resetMs }: RateLimitGrant, now: number): void {
    this.remaining = remaining;
    this.endsAt = now + resetMs;
    this.pool.add(tokens, this.endsAt, now);
  }

  status(admitted: boolean, now: number): RateLimitStatus {
    const resetSeconds = Math.max(1, Math.ceil((this.endsAt - now) / SECOND));
    return { admitted, limit: this.limit, remaining: this.pool.size + this.remaining, resetSeconds };
  }
}
