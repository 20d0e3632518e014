import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toExcerpt } from '../../../../src/notifications/domain/attempt.js';

describe('the excerpt of a reply from a receiver', () => {
  it('is cut to at most 4 kB, but not inside a character', () => {
    const excerpt = toExcerpt(Buffer.from(`a${'ü'.repeat(4_000)}`));
    expect(Buffer.byteLength(excerpt)).toBe(4_095);
    expect(excerpt).toMatch(/^aü+$/);
  });

  it('contains no null bytes, escape codes or broken characters, whatever bytes were received', () => {
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
