import { LRUCache } from 'lru-cache';
import {
  type FallbackOptions,
  FallbackRateLimiter,
  type LimiterWithFallback,
} from '../../platform/rate-limit/fallback-rate-limiter.js';
import { FixedWindowLimiter } from '../../platform/rate-limit/fixed-window-limiter.js';
import type { RedisConnection } from '../../platform/redis/redis-connection.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { type RateLimitGrant, RateLimitStore } from '../domain/rate-limit-store.js';

/** Granted locally while the store is unavailable: two processes together stay within the limit. */
const FALLBACK_SHARE = 0.5;
/**
 * A silent store delays one request this long, and then none for a while. A store that is slow, at 100 ms a statement
 * and a few of them to connect, is no reason to halve limits.
 */
const FALLBACK_OPTIONS: FallbackOptions = { timeoutMs: 1_000, retryAfterMs: 5_000 };
const OUTAGE_MESSAGE = 'rate limit store unavailable, granting half of each limit';
const MAX_LIMITERS = 1_000;

export class SharedRateLimitStore extends RateLimitStore {
  private readonly limits: FallbackRateLimiter;
  private readonly limiters = new LRUCache<number, LimiterWithFallback>({ max: MAX_LIMITERS });
  private readonly windows: FixedWindowLimiter;

  constructor(redis: RedisConnection, statements: SqlClient, options = FALLBACK_OPTIONS) {
    super();
    this.limits = new FallbackRateLimiter(OUTAGE_MESSAGE, options);
    this.windows = new FixedWindowLimiter(redis, statements);
  }

  async take(holder: string, limit: number, tokens: number): Promise<RateLimitGrant> {
    const grant = await this.limits.take(this.getLimiter(limit), holder, tokens);
    return { tokens: grant.tokens, remaining: grant.remaining, resetMs: grant.waitMs };
  }

  purgeExpired(): Promise<void> {
    return this.windows.prune();
  }

  private getLimiter(limit: number): LimiterWithFallback {
    const known = this.limiters.get(limit);
    if (known) return known;
    const share = Math.max(1, Math.floor(limit * FALLBACK_SHARE));
    const limiter = { shared: this.windows.shared(limit), local: this.windows.local(share) };
    this.limiters.set(limit, limiter);
    return limiter;
  }
}
