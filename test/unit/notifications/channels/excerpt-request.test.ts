import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExcerptRequest } from '../../../../src/notifications/channels/excerpt-request.js';

const TIMEOUT_MS = 5_000;

/** A request that got these chunks after its status; `end` may be what broke it off. */
function answered(chunks: readonly (Uint8Array | string)[], end: Error | null = null) {
  const request = new ExcerptRequest(TIMEOUT_MS);
  request.onResponseStart(null, 200, {});
  for (const chunk of chunks) request.onResponseData(null, Buffer.from(chunk as Uint8Array));
  if (end === null) request.onResponseEnd();
  else request.onResponseError(null, end);
  return request.reply;
}
const excerptOf = async (...chunks: (Uint8Array | string)[]) => (await answered(chunks)).excerpt;

describe('the excerpt of a reply', () => {
  it('is the reply, or null for an empty one', async () => {
    expect(await excerptOf('no such ', 'hook')).toBe('no such hook');
    expect(await excerptOf()).toBeNull();
  });

  it('ends at 4 kB and never inside a character', async () => {
    const excerpt = (await excerptOf(`a${'ü'.repeat(4_000)}`)) ?? '';
    expect(Buffer.byteLength(excerpt)).toBe(4_095);
    expect(excerpt).toMatch(/^aü+$/);
  });

  it('is the part before the connection broke', async () => {
    const { status, excerpt } = await answered(['half a'], new Error('other side closed'));
    expect([status, excerpt]).toEqual([200, 'half a']);
  });

  it('is safe for the database and a terminal, whatever the bytes', async () => {
    expect(await excerptOf('a\u0000b\u001b[31mc\td\n')).toBe('a\uFFFDb\uFFFD[31mc\td\n');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 20_000 }), async (bytes) => {
        const excerpt = (await excerptOf(bytes)) ?? '';
        expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(4_096);
        expect(excerpt.includes('\u0000')).toBe(false);
        expect(excerpt.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a request', () => {
  /** A controller that counts how often the connection is closed. */
  const connection = () => {
    const seen = { closed: 0 };
    return { seen, controller: { abort: () => (seen.closed += 1) } as never };
  };

  it('closes the connection of an endless reply after 16 kB', async () => {
    const { seen, controller } = connection();
    const request = new ExcerptRequest(TIMEOUT_MS);
    request.onRequestStart(controller);
    request.onResponseStart(null, 200, {});
    let read = 0;
    for (; seen.closed === 0; read += 1_024) request.onResponseData(null, Buffer.alloc(1_024, 'x'));
    expect(read).toBe(16 * 1_024);
    expect((await request.reply).excerpt).toHaveLength(4_096);
  });

  it('fails by its own time without a status, and is closed', async () => {
    const { seen, controller } = connection();
    const request = new ExcerptRequest(1);
    request.onRequestStart(controller);
    await expect(request.reply).rejects.toMatchObject({ failure: 'timeout' });
    expect(seen.closed).toBe(1);
  });

  it('that timed out before it had a connection is never sent', async () => {
    const { seen, controller } = connection();
    const request = new ExcerptRequest(1);
    await expect(request.reply).rejects.toMatchObject({ failure: 'timeout' });
    request.onRequestStart(controller);
    expect(seen.closed).toBe(1);
  });

  it('keeps the status when the body takes too long', async () => {
    const request = new ExcerptRequest(1);
    request.onResponseStart(null, 103, {});
    request.onResponseStart(null, 500, { 'retry-after': '7' });
    request.onResponseData(null, Buffer.from('slow'));
    expect(await request.reply).toEqual({ status: 500, excerpt: 'slow', retryAfter: '7' });
  });
});
