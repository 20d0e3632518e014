import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { type LimiterWithFallback, FallbackRateLimiter } from '../../platform/rate-limit/fallback-rate-limiter.js';
import type { RateLimit } from '../../platform/rate-limit/sql-rate-limiter.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import type { LookupPriority } from '../domain/lookup/operator-budget.js';

/** What a bucket granted. */
export interface BucketGrant {
  /** 0 to as many as were requested. */
  readonly tokens: number;
  /** Until the next token; 0 when all were granted. */
  readonly waitMs: number;
}

/** Settings for rate-limiter-flexible: at most `points` at once, refilled within `duration` seconds. */
export type Bucket = RateLimit;

/** Creates a limiter in the store that all processes share. */
export type LimiterFactory = (bucket: Bucket) => RateLimiterAbstract;

/**
 * The share of a budget that one process uses while the store is unavailable: the number of other processes is
 * unknown.
 */
const FALLBACK_SHARE = 0.1;
const MAX_LIMITERS = 10_000;
/** RateLimiterRedis requires whole seconds here; our scripts and statements use the bucket's own duration. */
const REDIS_OPTIONS = { customDuration: 1 };

/**
 * One token bucket for each operator, in a store that all processes share. Routine checks leave a fifth of the burst
 * for people's checks and drops.
 */
export class TokenBuckets {
  private readonly fallbackLimiter = new FallbackRateLimiter(
    'token store unavailable: using a tenth of each rate limit',
  );
  private readonly limiters = new LRUCache<string, LimiterWithFallback>({ max: MAX_LIMITERS });

  constructor(private readonly createLimiter: LimiterFactory) {}

  /** Never rejects: without the store this process uses a tenth of the budget. */
  async take(operator: string, budget: OperatorBudget, tokens: number, priority: LookupPriority): Promise<BucketGrant> {
    const taken = await this.fallbackLimiter.take(
      this.limiterFor(operator, budget, priority),
      operator,
      tokens,
      REDIS_OPTIONS,
    );
    return { tokens: taken.tokens, waitMs: taken.tokens === tokens ? 0 : Math.max(taken.waitMs, 1) };
  }

  private limiterFor(
    operator: string,
    { perSecond, burst }: OperatorBudget,
    priority: LookupPriority,
  ): LimiterWithFallback {
    const key = `${operator} ${priority === 'routine' ? 'routine' : 'urgent'}`;
    const cached = this.limiters.get(key);
    if (cached) return cached;
    const points = priority === 'routine' ? burst - priorityReserve(burst) : burst;
    const fallbackBurst = Math.max(1, Math.floor(perSecond * FALLBACK_SHARE));
    const limiters = {
      shared: this.createLimiter({ points, duration: points / perSecond }),
      local: new RateLimiterMemory({ points: fallbackBurst, duration: fallbackBurst / (perSecond * FALLBACK_SHARE) }),
    };
    this.limiters.set(key, limiters);
    return limiters;
  }
}

function priorityReserve(burst: number): number {
  return burst < 3 ? 0 : Math.ceil(burst / 5);
}
