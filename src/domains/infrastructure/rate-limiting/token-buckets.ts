import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { type LimiterWithFallback, FallbackRateLimiter } from '../../../platform/rate-limit/fallback-rate-limiter.js';
import type { RateLimit } from '../../../platform/rate-limit/sql-rate-limiter.js';
import type { LookupPriority, OperatorBudget } from '../../domain/lookup/operator-budget.js';

/** What a bucket gave. */
export interface TokenGrant {
  /** 0 to as many as were asked for. */
  readonly tokens: number;
  /** Milliseconds until there is another one; 0 when all were granted. */
  readonly waitMs: number;
}

/** A token bucket of rate-limiter-flexible: `points` at once, as many again in `duration` seconds. */
export type Bucket = RateLimit;

/** Makes the limiter that keeps buckets of this kind in the store that all processes share. */
export type LimiterFactory = (bucket: Bucket) => RateLimiterAbstract;

/** What a process takes while the store is away: it does not know how many others are doing the same. */
const FALLBACK_SHARE = 0.1;
const MAX_LIMITERS = 10_000;
/** Its limiter for Redis wants them here; the scripts and statements reckon with the bucket's own duration. */
const REDIS_OPTIONS = { customDuration: 1 };

/**
 * One bucket of tokens for each operator, in a store that all processes share. Routine leaves a fifth of a burst in it,
 * so that a person or a drop finds something there whatever the other processes do.
 */
export class TokenBuckets {
  private readonly fallbackLimiter = new FallbackRateLimiter(
    'the store of the budgets is away, a tenth of each is taken',
  );
  private readonly limiters = new LRUCache<string, LimiterWithFallback>({ max: MAX_LIMITERS });

  constructor(private readonly createLimiter: LimiterFactory) {}

  /** Never rejects: without the store a tenth of the budget is this process's. */
  async take(operator: string, budget: OperatorBudget, tokens: number, priority: LookupPriority): Promise<TokenGrant> {
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

export function priorityReserve(burst: number): number {
  return burst < 3 ? 0 : Math.ceil(burst / 5);
}
