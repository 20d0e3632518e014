import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import {
  type ApiKeyText,
  generateApiKey,
  parseApiKey,
  shouldRecordUse,
  type StoredKey,
  verifyKey,
} from '../../../src/auth/domain/api-key.js';
import { grants } from '../../../src/auth/domain/scope.js';
import { isId } from '../../../src/kernel/identifier.js';

const now = new Date('2026-11-21T12:00:00Z');
const aKey = generateApiKey();

function stored(changes: Partial<StoredKey> = {}, key: ApiKeyText = aKey): StoredKey {
  const nothing = { expiresAt: null, lastUsedAt: null, revokedAt: null };
  const own = { id: key.id, accountId: 'acc_1', plan: 'free', isSuspended: false, digest: key.digest };
  return { ...own, scopes: [], ...nothing, ...changes };
}

describe('the verification of an API key', () => {
  it('accepts the text of the stored key', () => expect(verifyKey(stored(), aKey, now)).toBe(true));

  it('refuses another text with the same id', () =>
    expect(verifyKey(stored(), { ...generateApiKey(), id: aKey.id }, now)).toBe(false));

  it('refuses a revoked key', () => expect(verifyKey(stored({ revokedAt: now }), aKey, now)).toBe(false));

  it('accepts a key until the key expires', () => {
    expect(verifyKey(stored({ expiresAt: new Date(now.getTime() + 1) }), aKey, now)).toBe(true);
    expect(verifyKey(stored({ expiresAt: now }), aKey, now)).toBe(false);
  });

  it('records the use of a key at most once a minute', () => {
    expect(shouldRecordUse(stored(), now)).toBe(true);
    expect(shouldRecordUse(stored({ lastUsedAt: new Date(now.getTime() - 59_999) }), now)).toBe(false);
    expect(shouldRecordUse(stored({ lastUsedAt: new Date(now.getTime() - 60_000) }), now)).toBe(true);
  });
});

describe('a scope', () => {
  it('is granted by itself and by admin, and by no other scope', () => {
    expect(grants(['watchlist:read'], 'watchlist:read')).toBe(true);
    expect(grants(['admin'], 'watchlist:write')).toBe(true);
    expect(grants(['watchlist:read'], 'watchlist:write')).toBe(false);
    expect(grants([], 'domains:read')).toBe(false);
  });
});

describe('an API key', () => {
  it('consists of nw_, an id, 43 secret characters and 6 checksum characters', () => {
    const { id, text } = generateApiKey();
    expect(text).toMatch(/^nw_[0-9a-hjkmnp-tv-z]{26}_[0-9A-Za-z]{49}$/);
    expect(isId('key', id)).toBe(true);
    expect(text.slice(3, 29)).toBe(id.slice(4));
  });

  it('ends with a CRC-32 checksum of all characters before, in base62', () => {
    const { text } = generateApiKey();
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const checksum = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(checksum).toBe(crc32(text.slice(0, -6)));
  });

  it('has the same id and digest when its text is parsed', () => {
    const key = generateApiKey();
    expect(parseApiKey(key.text)).toEqual(key);
  });

  it('is refused if any one character differs', () => {
    const { text } = generateApiKey();
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        return changed === text || parseApiKey(changed) === null;
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['', 'nw_', 'Bearer x', `nw_${'0'.repeat(26)}_${'0'.repeat(49)}`, `${generateApiKey().text} `])(
    'is refused if its text is "%s"',
    (text) => expect(parseApiKey(text)).toBeNull(),
  );
});
