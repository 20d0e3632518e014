import { LRUCache } from 'lru-cache';
import type { ApiKeys, StoredKey } from '../domain/api-key.js';
import type { KeyText } from '../domain/api-key-format.js';

const PROVEN_HELD = 10_000;

/**
 * Reads keys from the database. A key that was valid before is read at once, on a connection of its own. A key that was
 * never valid here may be a guess, so all of these share one statement at a time: a flood of guesses costs one
 * connection, and a valid key among them is still found. From an address that is locked out that is four statements a
 * second.
 */
export class KeyLookup {
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_HELD });

  constructor(private readonly keys: ApiKeys) {}

  find({ id, digest }: KeyText, isSuspect: boolean): Promise<StoredKey | null> {
    if (this.proven.has(digest)) return this.keys.stored(id, 'now');
    return this.keys.stored(id, isSuspect ? 'gathered' : 'shared');
  }

  notePresented({ digest }: KeyText, isValid: boolean): void {
    if (isValid) this.proven.set(digest, true);
    else this.proven.delete(digest);
  }
}
