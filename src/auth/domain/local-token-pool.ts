import { MINUTE, SECOND } from '../../kernel/clock.js';

/** What the store that all processes share gave of an account's minute. */
export interface RateLimitGrant {
  readonly tokens: number;
  /** How many more there are. */
  readonly remaining: number;
  /** Milliseconds until the minute is over and all are there again. */
  readonly resetMs: number;
}

/** How an account stands with its limit, after a request. */
export interface RateLimitStatus {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until there are as many again as the limit allows. */
  readonly resetSeconds: number;
}

/** More in one process's hand would be missed by the others. */
const MAX_LOCAL_SHARE = 0.1;

/**
 * What one process has in hand of an account's requests of a minute. Tokens come in blocks that last about a second:
 * twice as many whenever the last block lasted less. What is in hand stays good until the minute is over. Times are
 * milliseconds of the monotonic timer.
 */
export class LocalTokenPool {
  private tokens = 0;
  private remaining: number;
  private endsAt = -Infinity;
  private blockSize: number;
  private replenishedAt = -Infinity;

  /** @param limit requests in a minute, at least 1 */
  constructor(readonly limit: number) {
    this.remaining = limit;
    this.blockSize = Math.ceil(limit / (MINUTE / SECOND));
  }

  /** A request's token, if there is one in hand. */
  trySpend(now: number): boolean {
    if (this.tokens === 0 || now >= this.endsAt) return false;
    this.tokens -= 1;
    return true;
  }

  /** Nothing in hand, and nothing in the store as far as is known. */
  isExhausted(now: number): boolean {
    return this.tokens === 0 && this.remaining === 0 && now < this.endsAt;
  }

  /** Whether it is time for the next block, before a request has to wait for it. */
  isLow(now: number): boolean {
    return now < this.endsAt && this.remaining > 0 && this.tokens <= this.blockSize / 2;
  }

  /** How many to ask the store for. */
  nextBlock(waiting: number, now: number): number {
    const maxBlockSize = Math.max(this.blockSize, Math.floor(this.limit * MAX_LOCAL_SHARE));
    if (now - this.replenishedAt < SECOND) this.blockSize = Math.min(this.blockSize * 2, maxBlockSize);
    return Math.min(Math.max(this.blockSize, waiting), this.limit);
  }

  replenish({ tokens, remaining, resetMs }: RateLimitGrant, now: number): void {
    const isSameMinute = now < this.endsAt && now + resetMs < this.endsAt + SECOND;
    this.tokens = (isSameMinute ? this.tokens : 0) + tokens;
    this.remaining = remaining;
    this.endsAt = now + resetMs;
    this.replenishedAt = now;
  }

  status(admitted: boolean, now: number): RateLimitStatus {
    const resetSeconds = Math.max(1, Math.ceil((this.endsAt - now) / SECOND));
    return { admitted, limit: this.limit, remaining: this.tokens + this.remaining, resetSeconds };
  }
}

/** Where processes share what accounts, and others, may do in a minute. */
export abstract class RateLimitStore {
  /** Never rejects: without the store a share of this process's own is given. */
  abstract take(key: string, limit: number, tokens: number): Promise<RateLimitGrant>;
  /** Forgets minutes that are over. */
  abstract purgeExpired(): Promise<void>;
}
