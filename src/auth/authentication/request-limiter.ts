import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { MinuteLimits, type TokenGrant } from './minute-limits.js';

export interface RateLimitStatus {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** The time until the full limit is available again. */
  readonly resetSeconds: number;
}

interface AccountBucket {
  readonly pool: AccountTokenPool;
  /** The number of requests that wait for the next block of tokens. */
  waiting: number;
  refilling: Promise<void> | null;
}

const MAX_ACCOUNTS = 10_000;

/**
 * Limits how many requests an account may send in a minute. The plan sets the limit for all keys and processes
 * together.
 */
@Injectable()
export class RequestLimiter {
  private readonly buckets = new LRUCache<string, AccountBucket>({ max: MAX_ACCOUNTS });

  constructor(private readonly limits: MinuteLimits) {}

  /**
   * @param limit requests in a minute, at least 1
   * @returns a promise only if the request has to wait for tokens, which is rare
   */
  admit(accountId: string, limit: number): RateLimitStatus | Promise<RateLimitStatus> {
    const bucket = this.getBucket(accountId, limit);
    const now = performance.now();
    const isAdmitted = bucket.pool.tryTake(now);
    if (!isAdmitted && !bucket.pool.isExhausted(now)) return this.wait(accountId, bucket);
    if (bucket.refilling === null && bucket.pool.isLow(now)) void this.refill(accountId, bucket);
    return bucket.pool.status(isAdmitted, now);
  }

  private async wait(accountId: string, bucket: AccountBucket): Promise<RateLimitStatus> {
    bucket.waiting += 1;
    try {
      for (;;) {
        await this.refill(accountId, bucket);
        const now = performance.now();
        const isAdmitted = bucket.pool.tryTake(now);
        if (isAdmitted || bucket.pool.isExhausted(now)) return bucket.pool.status(isAdmitted, now);
      }
    } finally {
      bucket.waiting -= 1;
    }
  }

  private refill(accountId: string, bucket: AccountBucket): Promise<void> {
    bucket.refilling ??= this.takeBlock(accountId, bucket).finally(() => (bucket.refilling = null));
    return bucket.refilling;
  }

  private async takeBlock(accountId: string, { pool, waiting }: AccountBucket): Promise<void> {
    const blockSize = pool.nextBlockSize(waiting, performance.now());
    pool.replenish(await this.limits.take(accountId, pool.limit, blockSize), performance.now());
  }

  /**
   * Returns the account's bucket. Creates a new bucket when the plan's limit changes, because tokens of the old limit
   * say nothing about the new limit.
   */
  private getBucket(accountId: string, limit: number): AccountBucket {
    const known = this.buckets.get(accountId);
    if (known?.pool.limit === limit) return known;
    const bucket: AccountBucket = { pool: new AccountTokenPool(limit), waiting: 0, refilling: null };
    this.buckets.set(accountId, bucket);
    return bucket;
  }
}

/** The largest share of a limit that one process holds. A larger share would leave other processes without tokens. */
const MAX_LOCAL_SHARE = 0.1;

/**
 * One process's share of an account's request tokens, so that most requests need no round trip. The process takes tokens
 * from the shared store in blocks, each at least 1/60 of the minute's limit. The block size doubles when a block is used
 * up within a second. Unused tokens expire with the minute. Times are from performance.now().
 */
export class AccountTokenPool {
  /** The tokens held, including expired tokens. */
  private tokens = 0;
  /** Tokens in the shared store, as far as this process knows. */
  private remaining: number;
  private endsAt = -Infinity;
  private fetchedAt = -Infinity;
  private blockSize: number;
  private readonly maxBlockSize: number;

  constructor(readonly limit: number) {
    this.remaining = limit;
    this.blockSize = Math.ceil(limit / (MINUTE / SECOND));
    this.maxBlockSize = Math.max(this.blockSize, Math.floor(limit * MAX_LOCAL_SHARE));
  }

  tryTake(now: number): boolean {
    if (this.tokens === 0 || now >= this.endsAt) return false;
    this.tokens -= 1;
    return true;
  }

  /** Whether this process has no token, and the shared store probably has none. */
  isExhausted(now: number): boolean {
    return this.tokens === 0 && this.remaining === 0 && now < this.endsAt;
  }

  /** Whether to fetch the next block now, before a request has to wait for it. */
  isLow(now: number): boolean {
    return now < this.endsAt && this.remaining > 0 && this.tokens <= this.blockSize / 2;
  }

  /**
   * Returns how many tokens to fetch when `waiting` requests have none. Usually this is the block size. It is more if
   * more requests wait.
   */
  nextBlockSize(waiting: number, now: number): number {
    const isUsedUpEarly = now - this.fetchedAt < SECOND;
    const grown = isUsedUpEarly ? Math.min(this.blockSize * 2, this.maxBlockSize) : this.blockSize;
    const size = Math.min(Math.max(grown, waiting), this.limit);
    this.blockSize = Math.min(size, this.maxBlockSize);
    return size;
  }

  /** Adds a fetched block. Discards held tokens that have expired, or that expire a second or more before the block. */
  replenish({ tokens, remaining, waitMs }: TokenGrant, now: number): void {
    const endsAt = now + waitMs;
    const isSameMinute = now < this.endsAt && endsAt < this.endsAt + SECOND;
    this.tokens = (isSameMinute ? this.tokens : 0) + tokens;
    this.remaining = remaining;
    this.endsAt = endsAt;
    this.fetchedAt = now;
  }

  status(admitted: boolean, now: number): RateLimitStatus {
    const resetSeconds = Math.max(1, Math.ceil((this.endsAt - now) / SECOND));
    return { admitted, limit: this.limit, remaining: this.tokens + this.remaining, resetSeconds };
  }
}
