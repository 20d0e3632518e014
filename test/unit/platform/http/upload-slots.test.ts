import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { limitUploads } from '../../../../src/platform/http/uploads.js';
import { requestProblem, sendProblem } from '../../../../src/platform/http/errors/problem.filter.js';
import { eventually } from '../../../support/eventually.js';

let fastify: FastifyInstance;
let begun: (() => void)[];

beforeEach(async () => {
  begun = [];
  fastify = Fastify({ return503OnClosing: false, forceCloseConnections: true, bodyLimit: 100 });
  fastify.setErrorHandler<Error>((error, request, reply) => sendProblem(reply, requestProblem(error, request)));
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request) => {
    const id = String(request.headers.authorization);
    Object.assign(request, { caller: { account: { id } } });
  });
  limitUploads(fastify);
  const config = { upload: { mediaTypes: ['text/plain'], maxBytes: 100 } };
  fastify.post('/slow', { config }, () => new Promise<string>((resolve) => begun.push(() => resolve('done'))));
  fastify.post('/failing', { config }, () => Promise.reject(new Error('no')));
  fastify.post('/lines', { config }, async () => lines());
  fastify.post('/json', () => 'done');
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => fastify.close());

async function* streamed() {
  yield 'first\n';
  await new Promise<void>((resolve) => begun.push(resolve));
  yield 'last\n';
}
const lines = () => Readable.from(streamed(), { objectMode: false });

interface Sent {
  readonly path?: string;
  readonly body?: string | ReadableStream;
  readonly signal?: AbortSignal;
}
const send = (account: string, { path = '/slow', body = 'x', signal }: Sent = {}) => {
  const headers = { authorization: account, 'content-type': 'text/plain' };
  const url = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}${path}`;
  return fetch(url, { method: 'POST', headers, body, duplex: 'half', ...(signal ? { signal } : {}) });
};
const underWay = (count: number) =>
  eventually(
    () => turn(begun.length),
    (length) => length === count,
  );
const isTakenAgain = (account: string) =>
  eventually(
    () => send(account, { path: '/failing' }),
    ({ status }) => status === 500,
  );
const finish = () => begun.forEach((one) => one());

describe('uploads', () => {
  it('are limited to one per account and three in total, and others get a Retry-After', async () => {
    const first = ['a', 'b', 'c'].map((account) => send(account));
    await underWay(3);
    for (const [account, status, code] of [
      ['a', 429, 'too_many_concurrent_requests'],
      ['d', 503, 'overloaded'],
    ] as const) {
      const refused = await send(account);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, '1']);
      expect(await refused.json()).toMatchObject({ code, retryable: true });
    }
    expect((await send('a', { path: '/json' })).status).toBe(200);
    finish();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const account of ['a', 'd']) await isTakenAgain(account);
  });

  it('count towards the total only when their bodies are complete, so slow senders do not block other accounts', async () => {
    const leaving = new AbortController();
    const endless = () => new ReadableStream({ start: (body) => body.enqueue(Buffer.from('x')) });
    const slow = ['a', 'b', 'c', 'd', 'e'].map((account) =>
      send(account, { body: endless(), signal: leaving.signal }).catch(() => 'gone'),
    );
    await eventually(
      () => send('e', { path: '/failing' }),
      ({ status }) => status === 429,
    );
    expect((await send('f', { path: '/failing' })).status).toBe(500);
    expect((await send('a', { body: endless() })).status).toBe(429); // one of an account, sent or not
    leaving.abort();
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['gone']));
    for (const account of ['a', 'e']) await isTakenAgain(account);
  });

  it('free their slot when they are refused or fail', async () => {
    for (const sent of [{ body: 'x'.repeat(101) }, { path: '/failing' }]) {
      expect((await send('a', sent)).status).toBeGreaterThanOrEqual(400);
      await isTakenAgain('a');
    }
  });

  it('keep their slot while they are processed, even if the client disconnects', async () => {
    const leaving = new AbortController();
    const gone = send('a', { signal: leaving.signal }).catch(() => 'gone');
    await underWay(1);
    leaving.abort();
    expect(await gone).toBe('gone');
    await eventually(
      () => new Promise<number>((resolve) => fastify.server.getConnections((_, count) => resolve(count))),
      (count) => count === 0,
    );
    expect((await send('a')).status).toBe(429);
    finish();
    await isTakenAgain('a');
  });

  it('keep their slot until the streamed answer ends or its client disconnects', async () => {
    const answer = await send('a', { path: '/lines' });
    await underWay(1);
    expect((await send('a')).status).toBe(429);
    finish();
    expect(await answer.text()).toBe('first\nlast\n');
    await isTakenAgain('a');
    const leaving = new AbortController();
    await send('a', { path: '/lines', signal: leaving.signal });
    await underWay(2);
    leaving.abort();
    finish();
    await isTakenAgain('a');
  });
});
