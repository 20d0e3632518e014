import { LRUCache } from 'lru-cache';
import { WaitingLimit } from './auth-failure-limiter.js';

/** It is under a second: every process must refuse a revoked credential within one. */
const TTL_MS = 900;
const SIZE = 10_000;

interface Answer<Found> {
  readonly found: Promise<Found>;
  isValid: boolean;
}

/** The holders of credentials of one kind, by digest. Requests with the same credential share one question. */
export class CredentialCache<Found> {
  private readonly answers = new LRUCache<string, Answer<Found>>({
    max: SIZE,
    ttl: TTL_MS,
    noDeleteOnStaleGet: true,
    perf: { now: () => performance.now() },
  });
  private readonly waiting: WaitingLimit;

  /** @param maxWaiting so many questions of an address that is locked out may wait */
  constructor(maxWaiting: number) {
    this.waiting = new WaitingLimit(maxWaiting, 'Too many unknown credentials from this address are being checked.');
  }

  /**
   * @param lockedOutAddress the client's address while it is locked out, which delays a credential that was not valid before
   * @param ask is told whether the credential was valid before; a rejection is not kept
   * @throws RateLimited when too many questions of that address are waiting
   */
  find(digest: string, lockedOutAddress: string | null, ask: (wasValid: boolean) => Promise<Found>): Promise<Found> {
    const known = this.answers.get(digest);
    if (known) return known.found;
    const wasValid = this.answers.peek(digest, { allowStale: true })?.isValid ?? false;
    const start = performance.now(); // it may be revoked while it is asked for
    const isDelayed = lockedOutAddress !== null && !wasValid;
    const found = isDelayed ? this.waiting.run(lockedOutAddress, () => ask(false)) : ask(wasValid);
    const answer = { found, isValid: wasValid };
    this.answers.set(digest, answer, { start });
    found.then(
      (value) => (answer.isValid = value !== null),
      () => this.answers.peek(digest, { allowStale: true }) === answer && this.answers.delete(digest),
    );
    return found;
  }
}
