import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountTokenPool } from '../domain/account-token-pool.js';
import { type RateLimitStatus, RateLimitStore } from '../domain/rate-limit-store.js';

interface AccountBucket {
  readonly pool: AccountTokenPool;
  /** Who waits for the block that is under way. */
  waiting: number;
  refilling: Promise<void> | null;
}

const MAX_ACCOUNTS = 10_000;

/** Admits the requests of accounts, as many in a minute as their plans grant, over all keys and processes. */
@Injectable()
export class RequestLimiter {
  private readonly buckets = new LRUCache<string, AccountBucket>({ max: MAX_ACCOUNTS });

  constructor(private readonly store: RateLimitStore) {}

  /**
   * @param limit requests in a minute, at least 1
   * @returns no promise when a token is in hand or none can be had: most requests wait for nothing
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
    pool.replenish(await this.store.take(accountId, pool.limit, blockSize), performance.now());
  }

  /** Another plan is another limit: what was known of the old one says nothing about it. */
  private getBucket(accountId: string, limit: number): AccountBucket {
    const known = this.buckets.get(accountId);
    if (known?.pool.limit === limit) return known;
    const bucket: AccountBucket = { pool: new AccountTokenPool(limit), waiting: 0, refilling: null };
    this.buckets.set(accountId, bucket);
    return bucket;
  }
}
