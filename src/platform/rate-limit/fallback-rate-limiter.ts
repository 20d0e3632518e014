import { Logger } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { MINUTE } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { type TokenGrant, takeTokens } from './take-tokens.js';

export interface LimiterWithFallback {
  /** In the shared store. */
  readonly shared: RateLimiterAbstract;
  /** In memory: a share of the limit, since a process does not know how many others there are. */
  readonly local: RateLimiterAbstract;
}

export interface FallbackOptions {
  /** For one answer of the store; without it, no timeout. */
  readonly timeoutMs?: number;
  /** How long a failed store is skipped. */
  readonly retryAfterMs?: number;
}

/** Enforces limits without the store too: while it is unavailable, a process grants a local share, never everything. */
export class FallbackRateLimiter {
  private readonly log = new Logger(FallbackRateLimiter.name);
  private warnedAt = -Infinity;
  private unavailableUntil = -Infinity;

  /** @param outageMessage logged while the store is unavailable */
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
      return await this.withinTimeout(takeTokens(shared, key, tokens, options));
    } catch (error) {
      this.unavailableUntil = performance.now() + (this.options.retryAfterMs ?? 0);
      this.warn(error);
      return takeTokens(local, key, tokens);
    }
  }

  private withinTimeout(granting: Promise<TokenGrant>): Promise<TokenGrant> {
    const { timeoutMs } = this.options;
    return timeoutMs === undefined ? granting : withTimeout(timeoutMs, granting);
  }

  private warn(error: unknown): void {
    if (performance.now() - this.warnedAt < MINUTE) return;
    this.warnedAt = performance.now();
    this.log.warn(`${this.outageMessage}: ${(error as Error).message}`);
  }
}
