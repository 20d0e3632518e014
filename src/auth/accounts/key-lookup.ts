import { LRUCache } from 'lru-cache';
import type { StoredKey } from '../domain/api-key.js';
import type { ApiKeyRepository } from './api-keys.repository.js';
import type { ApiKeyText } from '../domain/api-key-format.js';
import { RateLimited } from '../domain/auth.errors.js';
import { callerAddress } from '../domain/credential.js';

const MAX_VALID_KEYS = 10_000;
/** Per locked-out address. */
export const MAX_WAITING_LOOKUPS = 100;
const RETRY_AFTER_SECONDS = 1;

/**
 * Reads keys from the database. Known-valid keys are read at once, on their own connection. Unknown keys may be
 * guesses, so they share one batched statement at a time: a flood of guesses costs one connection. Locked-out addresses
 * get four statements a second.
 */
export class KeyLookup {
  private readonly validBefore = new LRUCache<string, true>({ max: MAX_VALID_KEYS });
  private readonly waiting = new Map<string, number>();

  constructor(private readonly keys: Pick<ApiKeyRepository, 'findStored'>) {}

  /**
   * @param lockedOutAddress the client's address while it is locked out
   * @throws RateLimited when too many lookups of that address are waiting
   */
  find({ id, digest }: ApiKeyText, lockedOutAddress: string | null): Promise<StoredKey | null> {
    if (this.validBefore.has(digest)) return this.keys.findStored(id, 'immediate');
    if (lockedOutAddress === null) return this.keys.findStored(id, 'batched');
    return this.findDelayed(id, callerAddress(lockedOutAddress));
  }

  recordResult({ digest }: ApiKeyText, isValid: boolean): void {
    if (isValid) this.validBefore.set(digest, true);
    else this.validBefore.delete(digest);
  }

  private async findDelayed(id: string, address: string): Promise<StoredKey | null> {
    if ((this.waiting.get(address) ?? 0) >= MAX_WAITING_LOOKUPS)
      throw new RateLimited('Too many unknown keys from this address are being checked.', RETRY_AFTER_SECONDS);
    this.addWaiting(address, 1);
    try {
      return await this.keys.findStored(id, 'delayed');
    } finally {
      this.addWaiting(address, -1);
    }
  }

  private addWaiting(address: string, change: 1 | -1): void {
    const waiting = (this.waiting.get(address) ?? 0) + change;
    if (waiting > 0) this.waiting.set(address, waiting);
    else this.waiting.delete(address);
  }
}
