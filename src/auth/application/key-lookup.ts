import { LRUCache } from 'lru-cache';
import type { ApiKeyRepository, StoredKey } from '../domain/api-key.js';
import type { ApiKeyText } from '../domain/api-key-format.js';

const MAX_VALID_KEYS = 10_000;

/**
 * Reads keys from the database. A key that was valid before is read at once, on a connection of its own. A key that was
 * never valid here may be a guess, so all of these share one statement at a time: a flood of guesses costs one
 * connection, and a valid key among them is still found. From an address that is locked out that is four statements a
 * second.
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
