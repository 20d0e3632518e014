import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CursorMalformed, TransactionCursor } from '../../../src/kernel/paging/transaction-cursor.js';

const text = (position: string) => Buffer.from(position).toString('base64url');

describe('a cursor', () => {
  it('parses its own text', () => {
    const position = fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 63n - 1n));
    fc.assert(
      fc.property(position, ([xid, seq]) => {
        const cursor = TransactionCursor.at(String(xid), String(seq));
        expect(TransactionCursor.parse(cursor.text, 'after')).toEqual(cursor);
      }),
    );
  });

  it.each([
    ...['', 'x', '1.2', `${text('1.2')}=`, ` ${text('1.2')}`, text('1'), text('1.2.3'), text('01.2'), text('-1.2')],
    ...[text('1.2\n'), text('99999999999999999999.1'), text('1.9999999999999999999'), text("1.2' or true")],
  ])('is not %j', (wrong) => {
    expect(() => TransactionCursor.parse(wrong, 'after')).toThrow(CursorMalformed);
  });

  it('rejects any other text', () => {
    fc.assert(
      fc.property(fc.string(), (wrong) => {
        try {
          expect(TransactionCursor.parse(wrong, 'after').text).toBe(wrong);
        } catch (error) {
          expect(error).toBeInstanceOf(CursorMalformed);
        }
      }),
    );
  });
});
