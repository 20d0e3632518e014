import { describe, expect, it } from '@jest/globals';
import { KeyLookup, MAX_WAITING_LOOKUPS } from '../../../src/auth/authentication/key-lookup.js';
import type { KeyLookupMode, StoredKey } from '../../../src/auth/domain/api-key.js';
import type { ApiKeyRepository } from '../../../src/auth/accounts/api-keys.repository.js';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { RateLimited } from '../../../src/auth/domain/auth.errors.js';

/** Answers when the test says so. */
class HeldKeys implements Pick<ApiKeyRepository, 'findStored'> {
  readonly modes: KeyLookupMode[] = [];
  private readonly held: (() => void)[] = [];

  findStored(_id: string, mode: KeyLookupMode): Promise<StoredKey | null> {
    this.modes.push(mode);
    return new Promise((resolve) => this.held.push(() => resolve(null)));
  }

  release(): void {
    for (const resolve of this.held.splice(0)) resolve();
  }
}

const flood = (lookup: KeyLookup, address: string) =>
  Array.from({ length: MAX_WAITING_LOOKUPS }, () => lookup.find(generateApiKey(), address));

describe('lookups of unknown keys from a locked-out address', () => {
  it('are refused once too many of them wait, until some of them are done', async () => {
    const keys = new HeldKeys();
    const lookup = new KeyLookup(keys);
    const waiting = flood(lookup, '192.0.2.1');
    await expect(lookup.find(generateApiKey(), '192.0.2.1')).rejects.toThrow(RateLimited);
    keys.release();
    await Promise.all(waiting);
    const admitted = lookup.find(generateApiKey(), '192.0.2.1');
    keys.release();
    expect(await admitted).toBeNull();
    expect(new Set(keys.modes)).toEqual(new Set(['delayed']));
  });

  it('leave other addresses, and keys that were valid before, alone', async () => {
    const keys = new HeldKeys();
    const lookup = new KeyLookup(keys);
    const known = generateApiKey();
    lookup.recordResult(known, true);
    const waiting = flood(lookup, '2001:db8::1');
    await expect(lookup.find(generateApiKey(), '2001:db8::ffff')).rejects.toThrow(RateLimited); // the same /64
    const others = [lookup.find(known, '2001:db8::1'), lookup.find(generateApiKey(), '2001:db8:0:1::1')];
    others.push(lookup.find(generateApiKey(), null));
    expect(keys.modes.slice(-3)).toEqual(['immediate', 'delayed', 'batched']);
    keys.release();
    await Promise.all([...waiting, ...others]);
  });
});
