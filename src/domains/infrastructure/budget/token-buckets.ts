import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { MINUTE } from '../../../kernel/clock.js';
import type { Lane, OperatorBudget } from '../../domain/budget.js';

/** What a bucket gave. */
export interface Grant {
  /** 0 to as many as were asked for. */
  readonly tokens: number;
  /** Milliseconds until there is another one; 0 when all were granted. */
  readonly wait: number;
}

/** A token bucket of rate-limiter-flexible: `points` at once, as many again in `duration` seconds. */
export interface Bucket {
  readonly points: number;
  readonly duration: number;
}

/** Makes the limiter that keeps buckets of this kind in the store that all processes share. */
export type LimiterOf = (bucket: Bucket) => RateLimiterAbstract;

interface Limiters {
  readonly shared: RateLimiterAbstract;
  readonly alone: RateLimiterAbstract;
}

/** What a process takes while the store is away: it does not know how many others are doing the same. */
const SHARE_ALONE = 0.1;
const KINDS = 10_000;

/**
 * One bucket of tokens for each operator, in a store that all processes share. Routine leaves a fifth of a burst in it,
 * so that a person or a drop finds something there whatever the other processes do.
 */
export class TokenBuckets {
  private readonly log = new Logger(TokenBuckets.name);
  private readonly limiters = new LRUCache<string, Limiters>({ max: KINDS });
  private complainedAt = -Infinity;

  constructor(private readonly limiterOf: LimiterOf) {}

  /** Never rejects: without the store a tenth of the budget is this process's. */
  async take(operator: string, budget: OperatorBudget, tokens: number, lane: Lane): Promise<Grant> {
    const { shared, alone } = this.limitersOf(operator, budget, lane);
    try {
      return await taken(shared, operator, tokens);
    } catch (error) {
      this.complain(error);
      return taken(alone, operator, tokens);
    }
  }

  private limitersOf(operator: string, { perSecond, burst }: OperatorBudget, lane: Lane): Limiters {
    const key = `${operator} ${lane === 'routine' ? 'routine' : 'urgent'}`;
    const known = this.limiters.get(key);
    if (known) return known;
    const points = lane === 'routine' ? burst - keptFromRoutine(burst) : burst;
    const inAMoment = Math.max(1, Math.floor(perSecond * SHARE_ALONE));
    const limiters = {
      shared: this.limiterOf({ points, duration: points / perSecond }),
      alone: new RateLimiterMemory({ points: inAMoment, duration: inAMoment / (perSecond * SHARE_ALONE) }),
    };
    this.limiters.set(key, limiters);
    return limiters;
  }

  private complain(error: unknown): void {
    if (performance.now() - this.complainedAt < MINUTE) return;
    this.complainedAt = performance.now();
    this.log.warn(`the store of the budgets is away, a tenth of each is taken: ${(error as Error).message}`);
  }
}

export function keptFromRoutine(burst: number): number {
  return burst < 3 ? 0 : Math.ceil(burst / 5);
}

/** The library refuses the whole when a part is there; what it counted before tells how large that part was. */
async function taken(limiter: RateLimiterAbstract, operator: string, tokens: number): Promise<Grant> {
  const { consumedPoints, msBeforeNext } = await consumed(limiter, operator, tokens);
  const free = limiter.points - (consumedPoints - tokens);
  const granted = Math.min(Math.max(free, 0), tokens);
  return { tokens: granted, wait: granted === tokens ? 0 : Math.max(msBeforeNext, 1) };
}

async function consumed(limiter: RateLimiterAbstract, operator: string, tokens: number): Promise<RateLimiterRes> {
  try {
    // Its limiter for Redis wants whole seconds here; the scripts and statements reckon with the bucket's own.
    return await limiter.consume(operator, tokens, limiter instanceof RateLimiterMemory ? {} : { customDuration: 1 });
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  }
}
