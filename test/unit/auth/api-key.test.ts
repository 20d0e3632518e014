import { describe, expect, it } from '@jest/globals';
import { opens, type StoredKey, useIsWorthNoting } from '../../../src/auth/domain/api-key.js';
import { generateKey, type KeyText } from '../../../src/auth/domain/api-key-format.js';
import { grants } from '../../../src/auth/domain/scope.js';

const now = new Date('2026-11-21T12:00:00Z');
const aKey = generateKey();

function stored(changes: Partial<StoredKey> = {}, key: KeyText = aKey): StoredKey {
  const nothing = { expiresAt: null, lastUsedAt: null, revokedAt: null };
  const own = { id: key.id, accountId: 'acc_1', plan: 'free', isSuspended: false, digest: key.digest };
  return { ...own, scopes: [], ...nothing, ...changes };
}

describe('a stored key', () => {
  it('opens for the text it was made from', () => expect(opens(stored(), aKey, now)).toBe(true));

  it('stays shut for another text of the same id', () =>
    expect(opens(stored(), { ...generateKey(), id: aKey.id }, now)).toBe(false));

  it('stays shut when there is no such key', () => expect(opens(null, aKey, now)).toBe(false));

  it('stays shut once revoked', () => expect(opens(stored({ revokedAt: now }), aKey, now)).toBe(false));

  it('opens until the instant it expires', () => {
    expect(opens(stored({ expiresAt: new Date(now.getTime() + 1) }), aKey, now)).toBe(true);
    expect(opens(stored({ expiresAt: now }), aKey, now)).toBe(false);
  });

  it('has its use noted once a minute', () => {
    expect(useIsWorthNoting(stored(), now)).toBe(true);
    expect(useIsWorthNoting(stored({ lastUsedAt: new Date(now.getTime() - 59_999) }), now)).toBe(false);
    expect(useIsWorthNoting(stored({ lastUsedAt: new Date(now.getTime() - 60_000) }), now)).toBe(true);
  });
});

describe('a scope', () => {
  it('is granted by itself and by admin, not by its neighbour', () => {
    expect(grants(['watchlist:read'], 'watchlist:read')).toBe(true);
    expect(grants(['admin'], 'watchlist:write')).toBe(true);
    expect(grants(['watchlist:read'], 'watchlist:write')).toBe(false);
    expect(grants([], 'domains:read')).toBe(false);
  });
});
