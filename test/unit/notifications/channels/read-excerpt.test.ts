import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readExcerpt } from '../../../../src/notifications/infrastructure/channels/read-excerpt.js';

async function* saying(...chunks: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

describe('the excerpt of a reply', () => {
  it('is the reply, or null for an empty one', async () => {
    expect(await readExcerpt(saying('no such ', 'hook'))).toBe('no such hook');
    expect(await readExcerpt(saying())).toBeNull();
  });

  it('ends at 4 kB and never inside a character', async () => {
    const excerpt = (await readExcerpt(saying(`a${'ü'.repeat(4_000)}`))) ?? '';
    expect(Buffer.byteLength(excerpt)).toBe(4_095);
    expect(excerpt).toMatch(/^aü+$/);
  });

  it('stops reading an endless reply after 16 kB', async () => {
    let read = 0;
    let left = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          read += 1_024;
          yield Buffer.alloc(1_024, 'x');
        }
      } finally {
        left = true;
      }
    }
    expect(await readExcerpt(endless())).toHaveLength(4_096);
    expect(read).toBe(16 * 1_024);
    expect(left).toBe(true);
  });

  it('is the part before the connection broke', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half a');
      throw new Error('other side closed');
    }
    expect(await readExcerpt(broken())).toBe('half a');
  });

  it('is safe for the database and a terminal, whatever the bytes', async () => {
    expect(await readExcerpt(saying('a\u0000b\u001b[31mc\td\n'))).toBe('a\uFFFDb\uFFFD[31mc\td\n');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), async (bytes) => {
        const excerpt = (await readExcerpt(saying(bytes))) ?? '';
        expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(4_096);
        expect(excerpt.includes('\u0000')).toBe(false);
        expect(excerpt.isWellFormed()).toBe(true);
      }),
    );
  });
});
