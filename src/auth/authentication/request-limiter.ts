import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { LocalTokenPool, type TokenGrant } from '../../platform/rate-limit/shared-tokens.js';
import { MinuteLimits } from './minute-limits.js';

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

/** Limits an account's requests in a minute as its plan says, across all keys and processes. */
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

  /** Starts over when the plan's limit changes, since tokens of the old limit say nothing about the new limit. */
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
 * One process's share of an account's request tokens. The process takes tokens from the shared store in blocks, each at
 * least 1/60 of the minute's limit. Unused tokens expire with the minute. Times are from performance.now().
 */
export class AccountTokenPool {
  private readonly pool: LocalTokenPool;
  /** Tokens in the shared store, as far as this process knows. */
  private remaining: number;
  private endsAt = -Infinity;

  constructor(readonly limit: number) {
    this.remaining = limit;
    const min = Math.ceil(limit / (MINUTE / SECOND));
    const max = Math.max(min, Math.floor(limit * MAX_LOCAL_SHARE));
    this.pool = new LocalTokenPool({ min, max, limit, afterIdle: 'same' });
  }

  tryTake(now: number): boolean {
    if (!this.pool.hasToken(now)) return false;
    this.pool.take();
    return true;
  }

  /** Whether there is no token here, and probably none in the shared store. */
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

  replenish({ tokens, remaining, waitMs }: TokenGrant, now: number): void {
    this.remaining = remaining;
    this.endsAt = now + waitMs;
    this.pool.add(tokens, this.endsAt, now);
  }

  status(admitted: boolean, now: number): RateLimitStatus {
    const resetSeconds = Math.max(1, Math.ceil((this.endsAt - now) / SECOND));
    return { admitted, limit: this.limit, remaining: this.pool.size + this.remaining, resetSeconds };
  }
}
