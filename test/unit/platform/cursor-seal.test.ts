import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CursorMalformed, TransactionCursor } from '../../../src/kernel/paging/transaction-cursor.js';
import { CursorSeal } from '../../../src/platform/crypto/cursor-seal.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';

const seal = new CursorSeal(new SecretBox(SecretBox.generateKey()));
const cursor = TransactionCursor.at('762', '1');
const FEED = 'events of acc_1';

describe('an encrypted paging cursor', () => {
  it('decrypts to the position that was encrypted', () => {
    const position = fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 63n - 1n));
    fc.assert(
      fc.property(position, fc.string(), ([xid, seq], reader) => {
        const one = TransactionCursor.at(String(xid), String(seq));
        expect(seal.open(seal.seal(one, reader), reader, 'after')).toEqual(one);
      }),
    );
  });

  it('is refused for another account or another list', () => {
    const text = seal.seal(cursor, FEED);
    for (const other of ['events of acc_2', 'audit trail of acc_1', ''])
      expect(() => seal.open(text, other, 'after')).toThrow(CursorMalformed);
  });

  it('is the same text for the same position and account, but another text for another account', () => {
    expect(seal.seal(cursor, FEED)).toBe(seal.seal(TransactionCursor.at('762', '1'), FEED));
    expect(seal.seal(cursor, FEED)).not.toBe(seal.seal(cursor, 'events of acc_2'));
  });

  it('hides its position: cursors of neighbouring positions differ in half of their bits', () => {
    const bitsOf = (n: number) =>
      [...Buffer.from(seal.seal(TransactionCursor.at(String(n), '1'), FEED), 'base64url')]
        .map((byte) => byte.toString(2).padStart(8, '0'))
        .join('');
    const differences = Array.from({ length: 100 }, (_, n) => {
      const [one, next] = [bitsOf(n), bitsOf(n + 1)];
      return [...one].filter((bit, at) => bit !== next[at]).length / one.length;
    });
    const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
    expect(mean).toBeGreaterThan(0.47);
    expect(mean).toBeLessThan(0.53);
  });

  it('is refused if any of its bits is changed, or if it is cut', () => {
    const bytes = Buffer.from(seal.seal(cursor, FEED), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => seal.open(changed.toString('base64url'), FEED, 'after')).toThrow(CursorMalformed);
    }
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => seal.open(bytes.subarray(0, length).toString('base64url'), FEED, 'after')).toThrow(CursorMalformed);
  });

  it('is refused if a character is added or letters change between upper and lower case', () => {
    const text = seal.seal(cursor, FEED);
    for (const other of [`${text}=`, ` ${text}`, `${text}\n`, `${text}A`, text.toUpperCase()])
      expect(() => seal.open(other, FEED, 'after')).toThrow(CursorMalformed);
  });

  it('is refused if Namewatch did not encrypt it', () => {
    const plain = (position: string) => Buffer.from(position).toString('base64url');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('', plain('0.0'), plain('1.2'), 'A'.repeat(43))), (wrong) => {
        expect(() => seal.open(wrong, FEED, 'after')).toThrow(CursorMalformed);
      }),
    );
  });
});
