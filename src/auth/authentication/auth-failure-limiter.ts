import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { isIPv6 } from 'node:net';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RateLimited } from '../domain/auth.errors.js';
import { MinuteLimits } from './minute-limits.js';

/** After this many failures in a minute, an address gets 429 for each further failure in this minute. */
export const MAX_FAILURES_PER_MINUTE = 60;

/** Counts, for each client address, its requests without a valid key. */
@Injectable()
export class AuthFailureLimiter {
  constructor(private readonly limits: MinuteLimits) {}

  /** Returns the remaining seconds of the lockout, or 0. */
  lockedOutSeconds(ip: string): number {
    return Math.ceil(this.limits.blockedMs(toHolder(ip), MAX_FAILURES_PER_MINUTE) / SECOND);
  }

  async recordFailure(ip: string): Promise<void> {
    await this.limits.admit(toHolder(ip), MAX_FAILURES_PER_MINUTE);
  }
}

function toHolder(ip: string): string {
  return `failures of ${callerAddress(ip)}`;
}

/** Limits routes whose URL contains a secret instead of a key, such as the URL of a calendar. */
@Injectable()
export class SecretLinkLimiter {
  constructor(
    private readonly failures: AuthFailureLimiter,
    private readonly limits: MinuteLimits,
  ) {}

  /**
   * Counts a wrong secret like a wrong API key, but not during a lockout.
   * @returns `refusal`, or RateLimited during a lockout
   */
  async refuse<Refusal extends Error>(ip: string, refusal: Refusal): Promise<Refusal | RateLimited> {
    const waitSeconds = this.failures.lockedOutSeconds(ip);
    if (waitSeconds > 0)
      return new RateLimited('Too many wrong addresses and keys came from this client.', waitSeconds);
    await this.failures.recordFailure(ip);
    return refusal;
  }

  /**
   * @param holder the id of a calendar or client page
   * @throws RateLimited after `perMinute` requests in a minute, to all processes together
   */
  async admit(holder: string, perMinute: number): Promise<void> {
    const { isAdmitted, waitMs } = await this.limits.admit(holder, perMinute);
    if (isAdmitted) return;
    throw new RateLimited(
      `This address is read at most ${perMinute} times a minute.`,
      Math.ceil(Math.min(waitMs, MINUTE) / SECOND),
    );
  }
}

/** An IPv6 /64 counts as one address, because a client usually has a whole /64 (RFC 4291, section 2.5.4). */
export function callerAddress(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.process(ip); // turns an IPv4 address within an IPv6 address into IPv4
  if (address instanceof ipaddr.IPv4) return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
