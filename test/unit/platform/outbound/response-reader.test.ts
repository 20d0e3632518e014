import { describe, expect, it } from '@jest/globals';
import { Deadline } from '../../../../src/platform/outbound/deadline.js';
import { ResponseReader, ResponseTooLong } from '../../../../src/platform/outbound/response-reader.js';

const MAX_BYTES = 16 * 1_024;
const reading = (timeoutMs = 5_000) => new ResponseReader(new Deadline(timeoutMs), MAX_BYTES);

/** A controller that counts how often the connection is closed. */
const connection = () => {
  const seen = { closed: 0 };
  return { seen, controller: { abort: () => (seen.closed += 1) } as never };
};

describe('an HTTP response', () => {
  it('is read whole, with its final status and headers', async () => {
    const reader = reading();
    reader.onResponseStart(null, 103, {});
    reader.onResponseStart(null, 404, { 'retry-after': '7' });
    for (const chunk of ['no such ', 'hook']) reader.onResponseData(null, Buffer.from(chunk));
    reader.onResponseEnd();
    const body = Buffer.from('no such hook');
    expect(await reader.response).toEqual({ status: 404, headers: { 'retry-after': '7' }, body, flaw: null });
  });

  it('keeps the part that arrived before the connection broke, and the error', async () => {
    const reader = reading();
    const flaw = new Error('other side closed');
    reader.onResponseStart(null, 200, {});
    reader.onResponseData(null, Buffer.from('half a'));
    reader.onResponseError(null, flaw);
    expect(await reader.response).toMatchObject({ status: 200, body: Buffer.from('half a'), flaw });
  });

  it('is read only up to a size limit if it is endless, and its connection is closed', async () => {
    const { seen, controller } = connection();
    const reader = reading();
    reader.onRequestStart(controller);
    reader.onResponseStart(null, 200, {});
    let read = 0;
    for (; seen.closed === 0; read += 1_024) reader.onResponseData(null, Buffer.alloc(1_024, 'x'));
    expect(read).toBe(MAX_BYTES + 1_024);
    expect((await reader.response).flaw).toBeInstanceOf(ResponseTooLong);
  });

  it('keeps its status when the body takes too long', async () => {
    const reader = reading(1);
    reader.onResponseStart(null, 500, {});
    reader.onResponseData(null, Buffer.from('slow'));
    expect(await reader.response).toMatchObject({ status: 500, flaw: { failure: 'timeout' } });
  });
});

describe('an HTTP request', () => {
  it('fails if no status arrives in time, and its connection is closed', async () => {
    const { seen, controller } = connection();
    const reader = reading(1);
    reader.onRequestStart(controller);
    await expect(reader.response).rejects.toMatchObject({ failure: 'timeout' });
    expect(seen.closed).toBe(1);
  });

  it('is never sent if it timed out before it had a connection', async () => {
    const { seen, controller } = connection();
    const reader = reading(1);
    await expect(reader.response).rejects.toMatchObject({ failure: 'timeout' });
    reader.onRequestStart(controller);
    expect(seen.closed).toBe(1);
  });
});
