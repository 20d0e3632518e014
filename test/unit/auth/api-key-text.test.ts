import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { isId } from '../../../src/kernel/identifier.js';
import { generateApiKey, parseApiKey } from '../../../src/auth/domain/api-key-text.js';

describe('an API key', () => {
  it('is nw_, the id, 43 base62 characters of secret and 6 of checksum', () => {
    const { id, text } = generateApiKey();
    expect(text).toMatch(/^nw_[0-9a-hjkmnp-tv-z]{26}_[0-9A-Za-z]{49}$/);
    expect(isId('key', id)).toBe(true);
    expect(text.slice(3, 29)).toBe(id.slice(4));
  });

  it('ends with the CRC-32 of all before it, in base62', () => {
    const { text } = generateApiKey();
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const checksum = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(checksum).toBe(crc32(text.slice(0, -6)));
  });

  it('is read back to the same id and digest', () => {
    const key = generateApiKey();
    expect(parseApiKey(key.text)).toEqual(key);
  });

  it('is refused when any one character differs', () => {
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
    'is refused when it is "%s"',
    (text) => expect(parseApiKey(text)).toBeNull(),
  );
});
