import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { RateLimited } from '../domain/auth.errors.js';
import { callerAddress } from '../domain/credential.js';
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

const RETRY_AFTER_SECONDS = 1;

/** Limits how many credentials of one locked-out address are looked up at once, so that guessing costs us little. */
export class WaitingLimit {
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly max: number,
    private readonly refusal: string,
  ) {}

  /** @throws RateLimited when too many are waiting */
  async run<Result>(ip: string, work: () => Promise<Result>): Promise<Result> {
    const address = callerAddress(ip);
    if (this.count(address) >= this.max) throw new RateLimited(this.refusal, RETRY_AFTER_SECONDS);
    this.waiting.set(address, this.count(address) + 1);
    try {
      return await work();
    } finally {
      const left = this.count(address) - 1;
      if (left > 0) this.waiting.set(address, left);
      else this.waiting.delete(address);
    }
  }

  private count(address: string): number {
    return this.waiting.get(address) ?? 0;
  }
}
