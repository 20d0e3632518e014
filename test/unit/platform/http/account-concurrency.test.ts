import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { FairSemaphore } from '../../../../src/platform/concurrency/fair-semaphore.js';
import { limitAccountConcurrency } from '../../../../src/platform/http/hooks/account-concurrency.js';
import { requestProblem, sendProblem } from '../../../../src/platform/http/errors/problem.filter.js';
import { eventually } from '../../../support/eventually.js';

const BODY_LIMIT = 100;
let fastify: FastifyInstance;
let begun: (() => void)[];
let arrived: number;

beforeEach(async () => {
  [begun, arrived] = [[], 0];
  fastify = Fastify({ return503OnClosing: false, forceCloseConnections: true, bodyLimit: BODY_LIMIT });
  fastify.setErrorHandler<Error>((error, request, reply) => sendProblem(reply, requestProblem(error, request)));
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request) => {
    Object.assign(request, { caller: { account: { id: 'acc_1' } } });
  });
  fastify.addHook('preHandler', async () => void (arrived += 1));
  const line = { requests: 2, bodyBytes: BODY_LIMIT };
  const oneAtATime = { maxActive: 1, maxActivePerAccount: 1, maxWaitingPerAccount: line, maxWaiting: line };
  limitAccountConcurrency(fastify, new FairSemaphore({ ...oneAtATime, waitTimeoutMs: 60_000 }));
  const handle = () => new Promise<string>((resolve) => begun.push(() => resolve('done')));
  fastify.post('/slow', handle);
  fastify.post('/upload', { config: { upload: { mediaTypes: [], maxBytes: 1_000 } }, bodyLimit: 1_000 }, handle);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => fastify.close());

interface Sent {
  readonly path?: string;
  readonly body?: string | ReadableStream;
  readonly signal?: AbortSignal;
}
const send = ({ path = '/slow', body = '', signal }: Sent = {}) => {
  const url = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}${path}`;
  const headers = { connection: 'close', 'content-type': 'text/plain' };
  return fetch(url, { method: 'POST', headers, body, duplex: 'half', ...(signal ? { signal } : {}) });
};
const reached = (count: number) =>
  eventually(
    () => Promise.resolve(arrived),
    (many) => many === count,
  );
const finishAll = async (answers: Promise<Response>[]) => {
  for (let done = 0; done < answers.length; done += 1) {
    await eventually(
      () => Promise.resolve(begun.length),
      (many) => many === done + 1,
    );
    begun[done]?.();
  }
  return (await Promise.all(answers)).map(({ status }) => status);
};

describe('a request that waits for others of its account', () => {
  it('leaves the line when its client hangs up, and is not worked on', async () => {
    const leaving = new AbortController();
    const first = send();
    await reached(1);
    const gone = [1, 2].map(() => send({ signal: leaving.signal }).catch(() => 'gone'));
    await reached(3);
    expect((await send()).status).toBe(429);
    leaving.abort();
    expect(await Promise.all(gone)).toEqual(['gone', 'gone']);
    await eventually(
      () => new Promise<number>((resolve) => fastify.server.getConnections((_, count) => resolve(count))),
      (count) => count === 1,
    );
    const late = [send(), send()];
    await reached(6);
    expect(await finishAll([first, ...late])).toEqual([200, 200, 200]);
    expect(begun).toHaveLength(3);
  });

  it.each<[string, string, () => string | ReadableStream]>([
    ['its body', '/slow', () => 'x'.repeat(60)],
    ['as much as its route takes, if it does not say how long it is', '/slow', () => new Blob(['x']).stream()],
  ])('counts with %s', async (_, path, body) => {
    const first = send();
    await reached(1);
    const second = send({ path, body: body() });
    await reached(2);
    expect((await send({ path, body: 'x'.repeat(60) })).status).toBe(429);
    const third = send();
    expect(await finishAll([first, second, third])).toEqual([200, 200, 200]);
  });

  it('does not count the bytes of an upload, which has a slot of its own', async () => {
    const answers = [send()];
    await reached(1);
    for (const n of [2, 3]) {
      answers.push(send({ path: '/upload', body: 'x'.repeat(1_000) }));
      await reached(n);
    }
    expect(await finishAll(answers)).toEqual([200, 200, 200]);
  });
});
