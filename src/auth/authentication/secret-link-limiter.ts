import { Injectable } from '@nestjs/common';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RateLimited } from '../domain/auth.errors.js';
import { AuthFailureLimiter } from './auth-failure-limiter.js';
import { MinuteLimits } from './minute-limits.js';

/** Limits routes that a secret in the address opens instead of a key, as strictly as keys. */
@Injectable()
export class SecretLinkLimiter {
  constructor(
    private readonly failures: AuthFailureLimiter,
    private readonly limits: MinuteLimits,
  ) {}

  /** Counts a wrong secret like a wrong key. @returns what to answer: the refusal, or during a lockout that it is one */
  refuse<Refusal extends Error>(ip: string, refusal: Refusal): Refusal | RateLimited {
    const waitSeconds = this.failures.lockedOutSeconds(ip);
    if (waitSeconds > 0)
      return new RateLimited('Too many wrong addresses and keys came from this client.', waitSeconds);
    this.failures.recordFailure(ip);
    return refusal;
  }

  /** @throws RateLimited beyond so many requests in a minute, in all processes together */
  async admit(holder: string, perMinute: number): Promise<void> {
    const { tokens, waitMs } = await this.limits.take(holder, perMinute, 1);
    if (tokens > 0) return;
    throw new RateLimited(
      `This address is read at most ${perMinute} times a minute.`,
      Math.ceil(Math.min(waitMs, MINUTE) / SECOND),
    );
  }
}
