import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { isIPv6 } from 'node:net';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RateLimited } from '../domain/auth.errors.js';
import { MinuteLimits } from './minute-limits.js';

/** After this many failures in a minute, an address gets 429 for the rest of the minute. */
export const MAX_FAILURES_PER_MINUTE = 60;
/** Failures are reported to the shared store in batches, so that ten failures cost only one query. */
const REPORT_BATCH_SIZE = 10;
const MAX_ADDRESSES = 10_000;

interface FailureWindow {
  count: number;
  unreported: number;
  endsAt: number;
}

/** Counts requests without a valid key for each client address. */
@Injectable()
export class AuthFailureLimiter {
  private readonly addresses = new LRUCache<string, FailureWindow>({ max: MAX_ADDRESSES });

  constructor(private readonly limits: MinuteLimits) {}

  /** Returns the remaining seconds of the lockout, or 0. */
  lockedOutSeconds(ip: string): number {
    if (this.addresses.size === 0) return 0;
    const failures = this.addresses.get(callerAddress(ip));
    if (!failures || failures.count < MAX_FAILURES_PER_MINUTE) return 0;
    return Math.max(0, Math.ceil((failures.endsAt - performance.now()) / SECOND));
  }

  recordFailure(ip: string): void {
    const address = callerAddress(ip);
    const failures = this.currentWindow(address);
    failures.count += 1;
    failures.unreported += 1;
    if (failures.unreported >= REPORT_BATCH_SIZE) void this.report(address, failures);
  }

  private currentWindow(address: string): FailureWindow {
    const known = this.addresses.get(address);
    if (known && performance.now() < known.endsAt) return known;
    const window = { count: 0, unreported: 0, endsAt: performance.now() + MINUTE };
    this.addresses.set(address, window);
    return window;
  }

  private async report(address: string, failures: FailureWindow): Promise<void> {
    const unreported = failures.unreported;
    failures.unreported = 0;
    const { remaining, waitMs } = await this.limits.take(`failures of ${address}`, MAX_FAILURES_PER_MINUTE, unreported);
    if (remaining > 0) return;
    failures.count = Math.max(failures.count, MAX_FAILURES_PER_MINUTE);
    failures.endsAt = performance.now() + waitMs;
  }
}

/** Limits routes whose URL contains a secret instead of a key. A wrong secret counts like a wrong key. */
@Injectable()
export class SecretLinkLimiter {
  constructor(
    private readonly failures: AuthFailureLimiter,
    private readonly limits: MinuteLimits,
  ) {}

  /**
   * Counts a wrong secret address (of a calendar or a client's page) like a wrong API key.
   * @returns the error to answer with, which is RateLimited during a lockout
   */
  refuse<Refusal extends Error>(ip: string, refusal: Refusal): Refusal | RateLimited {
    const waitSeconds = this.failures.lockedOutSeconds(ip);
    if (waitSeconds > 0)
      return new RateLimited('Too many wrong addresses and keys came from this client.', waitSeconds);
    this.failures.recordFailure(ip);
    return refusal;
  }

  /**
   * Counts a request.
   * @throws RateLimited after this many requests of the holder in a minute, in all processes together
   */
  async admit(holder: string, perMinute: number): Promise<void> {
    const { tokens, waitMs } = await this.limits.take(holder, perMinute, 1);
    if (tokens > 0) return;
    throw new RateLimited(
      `This address is read at most ${perMinute} times a minute.`,
      Math.ceil(Math.min(waitMs, MINUTE) / SECOND),
    );
  }
}

/**
 * Returns the key for limits by address: the IPv4 address, or the /64 of an IPv6 address. A client usually has a whole
 * IPv6 /64, which therefore counts as one address (RFC 4291, section 2.5.4).
 */
export function callerAddress(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.process(ip); // turns an IPv4 address within an IPv6 address into IPv4
  if (address instanceof ipaddr.IPv4) return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
