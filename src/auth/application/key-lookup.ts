import { LRUCache } from 'lru-cache';
import type { ApiKeyRepository, StoredKey } from '../domain/api-key.js';
import type { ApiKeyText } from '../domain/api-key-format.js';

const MAX_VALID_KEYS = 10_000;

/**
 * Reads keys from the database. Known-valid keys are read at once, on their own connection. Unknown keys may be
 * guesses, so they share one batched statement at a time: a flood of guesses costs one connection. Locked-out addresses
 * get four statements a second.
 */
export class KeyLookup {
  private readonly validBefore = new LRUCache<string, true>({ max: MAX_VALID_KEYS });

  constructor(private readonly keys: ApiKeyRepository) {}

  find({ id, digest }: ApiKeyText, isLockedOut: boolean): Promise<StoredKey | null> {
    if (this.validBefore.has(digest)) return this.keys.findStored(id, 'immediate');
    return this.keys.findStored(id, isLockedOut ? 'delayed' : 'batched');
  }

  recordResult({ digest }: ApiKeyText, isValid: boolean): void {
    if (isValid) this.validBefore.set(digest, true);
    else this.validBefore.delete(digest);
  }
}
