import { LRUCache } from 'lru-cache';
import { RateLimited } from '../domain/auth.errors.js';
import { callerAddress } from './auth-failure-limiter.js';

/** Below a second, because every process must refuse a revoked credential within a second. */
const TTL_MS = 900;
const SIZE = 10_000;

interface Answer<Found> {
  readonly found: Promise<Found>;
  isValid: boolean;
}

/** Caches the holders of credentials by digest. Concurrent requests with the same credential share one lookup. */
export class CredentialCache<Found> {
  private readonly answers = new LRUCache<string, Answer<Found>>({
    max: SIZE,
    ttl: TTL_MS,
    noDeleteOnStaleGet: true,
    perf: { now: () => performance.now() },
  });
  private readonly waiting: WaitingLimit;

  /** @param maxWaiting how many unknown credentials of one locked-out address may wait for a lookup */
  constructor(maxWaiting: number) {
    this.waiting = new WaitingLimit(maxWaiting);
  }

  /**
   * Finds the holder of a credential in the cache, or with `ask`. Does not cache a rejection of `ask`.
   * @throws RateLimited when too many unknown credentials of `lockedOutAddress` wait
   */
  find(digest: string, lockedOutAddress: string | null, ask: () => Promise<Found>): Promise<Found> {
    const known = this.answers.get(digest);
    if (known) return known.found;
    const wasValid = this.answers.peek(digest, { allowStale: true })?.isValid ?? false;
    // The answer's age counts from here, because the credential may be revoked during the lookup.
    const start = performance.now();
    const found = lockedOutAddress === null || wasValid ? ask() : this.waiting.run(lockedOutAddress, ask);
    const answer = { found, isValid: wasValid };
    this.answers.set(digest, answer, { start });
    found.then(
      (value) => (answer.isValid = value !== null),
      () => this.answers.peek(digest, { allowStale: true }) === answer && this.answers.delete(digest),
    );
    return found;
  }
}

const RETRY_AFTER_SECONDS = 1;
const REFUSAL = 'Too many unknown credentials from this address are being checked.';

/** Limits how many credentials of one locked-out address are looked up at once, so that guessing costs us little. */
class WaitingLimit {
  private readonly waiting = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** @throws RateLimited if too many lookups for this address are waiting */
  async run<Result>(ip: string, work: () => Promise<Result>): Promise<Result> {
    const address = callerAddress(ip);
    if (this.count(address) >= this.max) throw new RateLimited(REFUSAL, RETRY_AFTER_SECONDS);
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
