import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { callerAddress } from '../domain/caller-address.js';
import { RequestTokens } from '../domain/local-token-pool.js';

/** Failures in a minute from one address; further ones are answered 429 for the rest of it. */
export const FAILURES_A_MINUTE = 60;
/** So many are told to the other processes at a time: a wrong key costs no query. */
const TOLD_AT_ONCE = 10;
const ADDRESSES_HELD = 10_000;

interface Failures {
  count: number;
  untold: number;
  endsAt: number;
}

/** Counts by address the requests without a key, or with an invalid one. */
@Injectable()
export class FailedAuthentications {
  private readonly addresses = new LRUCache<string, Failures>({ max: ADDRESSES_HELD });

  constructor(private readonly tokens: RequestTokens) {}

  /** Seconds for which this address is still locked out; 0: it is not. */
  waitOf(ip: string): number {
    if (this.addresses.size === 0) return 0;
    const failures = this.addresses.get(callerAddress(ip));
    if (!failures || failures.count < FAILURES_A_MINUTE) return 0;
    return Math.max(0, Math.ceil((failures.endsAt - performance.now()) / SECOND));
  }

  note(ip: string): void {
    const address = callerAddress(ip);
    const failures = this.current(address);
    failures.count += 1;
    failures.untold += 1;
    if (failures.untold >= TOLD_AT_ONCE) void this.tell(address, failures);
  }

  private current(address: string): Failures {
    const known = this.addresses.get(address);
    if (known && performance.now() < known.endsAt) return known;
    const begun = { count: 0, untold: 0, endsAt: performance.now() + MINUTE };
    this.addresses.set(address, begun);
    return begun;
  }

  private async tell(address: string, failures: Failures): Promise<void> {
    const untold = failures.untold;
    failures.untold = 0;
    const { left, endsIn } = await this.tokens.take(`failures of ${address}`, FAILURES_A_MINUTE, untold);
    if (left > 0) return;
    failures.count = Math.max(failures.count, FAILURES_A_MINUTE);
    failures.endsAt = performance.now() + endsIn;
  }
}
