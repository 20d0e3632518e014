import { Injectable } from '@nestjs/common';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RateLimited } from '../domain/auth.errors.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import { MinuteLimits } from './minute-limits.js';

/** Limits routes with a secret in their address instead of a key, as strictly as routes with keys. */
@Injectable()
export class SecretLinkLimiter {
  constructor(
    private readonly failures: AuthFailureLimiter,
    private readonly limits: MinuteLimits,
  ) {}

  /** Counts a wrong secret like a wrong key. @returns the error to answer with, RateLimited during a lockout */
  refuse<Refusal extends Error>(ip: string, refusal: Refusal): Refusal | RateLimited {
    const waitSeconds = this.failures.lockedOutSeconds(ip);
    if (waitSeconds > 0)
      return new RateLimited('Too many wrong addresses and keys came from this client.', waitSeconds);
    this.failures.recordFailure(ip);
    return refusal;
  }

  /** @throws RateLimited after this many requests in a minute, over all processes */
  async admit(holder: string, perMinute: number): Promise<void> {
    const { tokens, waitMs } = await this.limits.take(holder, perMinute, 1);
    if (tokens > 0) return;
    throw new RateLimited(
      `This address is read at most ${perMinute} times a minute.`,
      Math.ceil(Math.min(waitMs, MINUTE) / SECOND),
    );
  }
}
