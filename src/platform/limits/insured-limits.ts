import { Logger } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { MINUTE } from '../../kernel/clock.js';
import { type Grant, grantOf } from './grant.js';

export interface InsuredLimiter {
  /** In the store that all processes share. */
  readonly shared: RateLimiterAbstract;
  /** In memory. A process does not know how many others do the same, so it is a part of the whole. */
  readonly alone: RateLimiterAbstract;
}

/** Limits that hold without their store too: while it is away, a process grants a share of its own and never all. */
export class InsuredLimits {
  private readonly log = new Logger(InsuredLimits.name);
  private complainedAt = -Infinity;
  private awayUntil = -Infinity;

  /**
   * @param complaint says what is done while the store is away
   * @param pause milliseconds for which a store that failed is not asked again
   */
  constructor(
    private readonly complaint: string,
    private readonly pause = 0,
  ) {}

  /** Never rejects. */
  async take(
    { shared, alone }: InsuredLimiter,
    key: string,
    tokens: number,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Grant> {
    if (performance.now() < this.awayUntil) return grantOf(alone, key, tokens);
    try {
      return await grantOf(shared, key, tokens, options);
    } catch (error) {
      this.awayUntil = performance.now() + this.pause;
      this.complain(error);
      return grantOf(alone, key, tokens);
    }
  }

  private complain(error: unknown): void {
    if (performance.now() - this.complainedAt < MINUTE) return;
    this.complainedAt = performance.now();
    this.log.warn(`${this.complaint}: ${(error as Error).message}`);
  }
}
