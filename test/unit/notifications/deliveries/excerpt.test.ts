import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toExcerpt } from '../../../../src/notifications/domain/attempt.js';

describe('the excerpt of a reply', () => {
  it('ends at 4 kB and never inside a character', () => {
    const excerpt = toExcerpt(Buffer.from(`a${'ü'.repeat(4_000)}`));
    expect(Buffer.byteLength(excerpt)).toBe(4_095);
    expect(excerpt).toMatch(/^aü+$/);
  });

  it('is safe for the database and a terminal, whatever the bytes', () => {
    expect(toExcerpt(Buffer.from('a\u0000b\u001b[31mc\td\n'))).toBe('a\uFFFDb\uFFFD[31mc\td\n');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), (bytes) => {
        const excerpt = toExcerpt(bytes);
        expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(4_096);
        expect(excerpt.includes('\u0000')).toBe(false);
        expect(excerpt.isWellFormed()).toBe(true);
      }),
    );
  });
});
