import { Logger } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { MINUTE } from '../../kernel/clock.js';
import { type Grant, grantOf } from './take-tokens.js';

export interface InsuredLimiter {
  /** In the store that all processes share. */
  readonly shared: RateLimiterAbstract;
  /** In memory. A process does not know how many others do the same, so it is a part of the whole. */
  readonly alone: RateLimiterAbstract;
}

/** How a store is borne with; milliseconds. */
export interface Bearing {
  /** What it may take to answer. */
  readonly patience?: number;
  /** For how long it is not asked again once it failed. */
  readonly pause?: number;
}

/** Limits that hold without their store too: while it is away, a process grants a share of its own and never all. */
export class InsuredLimits {
  private readonly log = new Logger(InsuredLimits.name);
  private complainedAt = -Infinity;
  private awayUntil = -Infinity;

  /** @param complaint says what is done while the store is away */
  constructor(
    private readonly complaint: string,
    private readonly bearing: Bearing = {},
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
      return await this.patiently(grantOf(shared, key, tokens, options));
    } catch (error) {
      this.awayUntil = performance.now() + (this.bearing.pause ?? 0);
      this.complain(error);
      return grantOf(alone, key, tokens);
    }
  }

  /** Whatever a store that was silent answers later is lost. */
  private async patiently(granting: Promise<Grant>): Promise<Grant> {
    const { patience } = this.bearing;
    if (patience === undefined) return granting;
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${patience} ms`)), patience);
    });
    try {
      return await Promise.race([granting, silence]);
    } finally {
      clearTimeout(timer);
    }
  }

  private complain(error: unknown): void {
    if (performance.now() - this.complainedAt < MINUTE) return;
    this.complainedAt = performance.now();
    this.log.warn(`${this.complaint}: ${(error as Error).message}`);
  }
}
