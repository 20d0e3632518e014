import { Logger } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { MINUTE } from '../../kernel/clock.js';
import { type TokenGrant, takeTokens } from './take-tokens.js';

export interface LimiterWithFallback {
  /** In the store that all processes share. */
  readonly shared: RateLimiterAbstract;
  /** In memory. A process does not know how many others do the same, so it is a part of the whole. */
  readonly local: RateLimiterAbstract;
}

/** How a store is borne with; milliseconds. */
export interface FallbackOptions {
  /** What it may take to answer. */
  readonly timeoutMs?: number;
  /** For how long it is not asked again once it failed. */
  readonly retryAfterMs?: number;
}

/** Limits that hold without their store too: while it is away, a process grants a share of its own and never all. */
export class FallbackRateLimiter {
  private readonly log = new Logger(FallbackRateLimiter.name);
  private warnedAt = -Infinity;
  private unavailableUntil = -Infinity;

  /** @param outageMessage says what is done while the store is away */
  constructor(
    private readonly outageMessage: string,
    private readonly options: FallbackOptions = {},
  ) {}

  /** Never rejects. */
  async take(
    { shared, local }: LimiterWithFallback,
    key: string,
    tokens: number,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<TokenGrant> {
    if (performance.now() < this.unavailableUntil) return takeTokens(local, key, tokens);
    try {
      return await this.patiently(takeTokens(shared, key, tokens, options));
    } catch (error) {
      this.unavailableUntil = performance.now() + (this.options.retryAfterMs ?? 0);
      this.warn(error);
      return takeTokens(local, key, tokens);
    }
  }

  /** Whatever a store that was silent answers later is lost. */
  private async patiently(granting: Promise<TokenGrant>): Promise<TokenGrant> {
    const { timeoutMs } = this.options;
    if (timeoutMs === undefined) return granting;
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([granting, silence]);
    } finally {
      clearTimeout(timer);
    }
  }

  private warn(error: unknown): void {
    if (performance.now() - this.warnedAt < MINUTE) return;
    this.warnedAt = performance.now();
    this.log.warn(`${this.outageMessage}: ${(error as Error).message}`);
  }
}
