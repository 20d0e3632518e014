import { describe, expect, it } from '@jest/globals';
import { verifyKey, type StoredKey, shouldRecordUse } from '../../../src/auth/domain/api-key.js';
import { generateApiKey, type ApiKeyText } from '../../../src/auth/domain/api-key-text.js';
import { grants } from '../../../src/auth/domain/scope.js';

const now = new Date('2026-11-21T12:00:00Z');
const aKey = generateApiKey();

function stored(changes: Partial<StoredKey> = {}, key: ApiKeyText = aKey): StoredKey {
  const nothing = { expiresAt: null, lastUsedAt: null, revokedAt: null };
  const own = { id: key.id, accountId: 'acc_1', plan: 'free', isSuspended: false, digest: key.digest };
  return { ...own, scopes: [], ...nothing, ...changes };
}

describe('a stored key', () => {
  it('is verified by its text', () => expect(verifyKey(stored(), aKey, now)).toBe(true));

  it('is not verified by another text with the same id', () =>
    expect(verifyKey(stored(), { ...generateApiKey(), id: aKey.id }, now)).toBe(false));

  it('is not verified when it does not exist', () => expect(verifyKey(null, aKey, now)).toBe(false));

  it('is not verified once revoked', () => expect(verifyKey(stored({ revokedAt: now }), aKey, now)).toBe(false));

  it('is verified until it expires', () => {
    expect(verifyKey(stored({ expiresAt: new Date(now.getTime() + 1) }), aKey, now)).toBe(true);
    expect(verifyKey(stored({ expiresAt: now }), aKey, now)).toBe(false);
  });

  it('has its use recorded once a minute', () => {
    expect(shouldRecordUse(stored(), now)).toBe(true);
    expect(shouldRecordUse(stored({ lastUsedAt: new Date(now.getTime() - 59_999) }), now)).toBe(false);
    expect(shouldRecordUse(stored({ lastUsedAt: new Date(now.getTime() - 60_000) }), now)).toBe(true);
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
