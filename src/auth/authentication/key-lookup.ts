import { LRUCache } from 'lru-cache';
import type { ApiKeyRepository } from '../accounts/api-keys.repository.js';
import type { StoredKey } from '../domain/api-key.js';
import type { ApiKeyText } from '../domain/api-key-text.js';
import { WaitingLimit } from './auth-failure-limiter.js';

const MAX_VALID_KEYS = 10_000;
/** Limits the waiting lookups of a locked-out address. */
export const MAX_WAITING_LOOKUPS = 100;

/**
 * Reads keys from the database. Known-valid keys are read at once, on their own connection. Unknown keys may be
 * guesses, so they share one batched statement at a time: a flood of guesses costs one connection. Locked-out addresses
 * get four statements a second.
 */
export class KeyLookup {
  private readonly validBefore = new LRUCache<string, true>({ max: MAX_VALID_KEYS });
  private readonly waiting = new WaitingLimit(
    MAX_WAITING_LOOKUPS,
    'Too many unknown keys from this address are being checked.',
  );

  constructor(private readonly keys: Pick<ApiKeyRepository, 'findStored'>) {}

  /**
   * @param lockedOutAddress the client's address while it is locked out
   * @throws RateLimited when too many lookups of that address are waiting
   */
  find({ id, digest }: ApiKeyText, lockedOutAddress: string | null): Promise<StoredKey | null> {
    if (this.validBefore.has(digest)) return this.keys.findStored(id, 'immediate');
    if (lockedOutAddress === null) return this.keys.findStored(id, 'batched');
    return this.waiting.run(lockedOutAddress, () => this.keys.findStored(id, 'delayed'));
  }

  recordResult({ digest }: ApiKeyText, isValid: boolean): void {
    if (isValid) this.validBefore.set(digest, true);
    else this.validBefore.delete(digest);
  }
}
