import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type LoadLimits, shedLoad } from '../../../../src/platform/http/hooks/load-shedding.js';
import { requestProblem, sendProblem } from '../../../../src/platform/http/errors/problem.filter.js';
import { eventually } from '../../../support/eventually.js';

const BODY_LIMIT = 100;
let fastify: FastifyInstance;
let finish: (() => void)[];
let limits: { -readonly [Name in keyof LoadLimits]: LoadLimits[Name] };

beforeEach(async () => {
  finish = [];
  fastify = Fastify({ return503OnClosing: false, forceCloseConnections: 'idle', bodyLimit: BODY_LIMIT });
  fastify.setErrorHandler<Error>((error, request, reply) => sendProblem(reply, requestProblem(error, request)));
  // A busy machine makes any loop slow: only the test of that has a limit that is soon reached.
  limits = {
    maxInFlight: 2,
    maxInFlightPerAccount: 1,
    maxBodyBytes: BODY_LIMIT,
    maxBodyBytesPerAccount: BODY_LIMIT,
    maxLoopDelayMs: 60_000,
    sampleIntervalMs: 250,
  };
  shedLoad(fastify, limits);
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request) => {
    const id = request.headers.authorization;
    if (id !== undefined) Object.assign(request, { caller: { account: { id } } });
  });
  fastify.get('/slow', () => new Promise((resolve) => finish.push(() => resolve('done'))));
  fastify.get('/v1/events/stream', () => new Promise((resolve) => finish.push(() => resolve('done'))));
  fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const config = { upload: { mediaTypes: [], maxBytes: 1_000 } };
  fastify.post('/upload', { config, bodyLimit: 1_000 }, () => 'done');
  fastify.post('/quick', () => 'done');
  fastify.post('/taken', () => new Promise((resolve) => finish.push(() => resolve('done'))));
  fastify.get('/quick', () => 'done');
  fastify.get('/livez', () => 'alive');
  await fastify.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => fastify.close());

const port = () => (fastify.server.address() as AddressInfo).port;
const ask = (path: string, signal?: AbortSignal, account?: string) =>
  fetch(`http://127.0.0.1:${port()}${path}`, {
    headers: { connection: 'close', ...(account ? { authorization: account } : {}) },
    ...(signal ? { signal } : {}),
  });
const send = (account: string, path: string, body: string | ReadableStream) => {
  const headers = { connection: 'close', 'content-type': 'text/plain', authorization: account };
  return fetch(`http://127.0.0.1:${port()}${path}`, { method: 'POST', headers, body, duplex: 'half' });
};
const busy = (milliseconds: number) => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};
const underWay = (count: number) =>
  eventually(
    () => turn(finish.length),
    (length) => length === count,
  );

describe('an overloaded process', () => {
  it('answers 503 above its request limit, except for /livez, and 200 again below the limit', async () => {
    const slow = [ask('/slow'), ask('/slow')];
    await underWay(2);
    const refused = await ask('/quick');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({ code: 'overloaded', retryable: true });
    expect((await ask('/livez')).status).toBe(200);
    finish.forEach((one) => one());
    await Promise.all(slow);
    expect((await ask('/quick')).status).toBe(200);
  });

  it('answers 429 to an account above its limit, but still serves other accounts', async () => {
    const slow = ask('/slow', undefined, 'busy');
    await underWay(1);
    const refused = await ask('/quick', undefined, 'busy');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ code: 'too_many_concurrent_requests', retryable: true });
    expect((await ask('/quick', undefined, 'quiet')).status).toBe(200);
    finish.forEach((one) => one());
    expect((await slow).status).toBe(200);
    await eventually(
      () => ask('/quick', undefined, 'busy'),
      ({ status }) => status === 200,
    );
  });

  it('does not count requests of disconnected clients and event streams', async () => {
    const leaving = new AbortController();
    const gone = [ask('/slow', leaving.signal), ask('/slow', leaving.signal)];
    await underWay(2);
    leaving.abort();
    await Promise.allSettled(gone);
    const listening = [1, 2, 3].map(() => ask('/v1/events/stream'));
    await underWay(5);
    await eventually(
      () => ask('/quick'),
      ({ status }) => status === 200,
    );
    finish.forEach((one) => one());
    await Promise.all(listening);
  });

  it('counts a request only once its body has arrived', async () => {
    const head = 'POST /taken HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';
    const sockets = Array.from({ length: 5 }, () => connect(port(), '127.0.0.1'));
    const begun = new Promise<void>((resolve) => {
      let left = sockets.length;
      fastify.server.on('request', () => void ((left -= 1) === 0 && resolve()));
    });
    for (const socket of sockets) socket.write(head);
    await begun;
    expect((await ask('/quick')).status).toBe(200);

    const refused = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write('{}');
    expect(String(await Promise.any(refused))).toMatch(/^HTTP\/1\.1 503 /);
    await underWay(2);
    expect((await ask('/quick')).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await eventually(
      () => ask('/quick'),
      ({ status }) => status === 200,
    );
  });

  it.each<[string, number, string, () => string | ReadableStream]>([
    ['refuses a second body that exceeds the limit', 503, '/quick', () => 'x'.repeat(60)],
    [
      'counts a body of unknown length as the largest that its route takes',
      503,
      '/quick',
      () => new Blob(['x']).stream(),
    ],
    ['does not count an upload, which has its own limit', 200, '/upload', () => 'x'.repeat(1_000)],
    ['does not count a request without a body', 200, '/quick', () => ''],
  ])('limits the total size of request bodies: %s', async (_, status, path, body) => {
    const first = send('one', '/taken', 'x'.repeat(60));
    await underWay(1);
    expect((await send('other', path, body())).status).toBe(status);
    finish.forEach((one) => one());
    expect((await first).status).toBe(200);
    expect((await send('other', path, body())).status).toBe(200);
  });

  it('answers 503 while the event loop stays slow, but not after one long delay', async () => {
    limits.maxLoopDelayMs = 100;
    busy(700);
    for (const pause of [0, 50]) {
      await new Promise((resolve) => setTimeout(resolve, pause)); // for the sample that the turn is in
      expect((await ask('/quick')).status).toBe(200);
    }

    let isBusy = true;
    const turns = (async () => {
      while (isBusy) {
        busy(200);
        await turn();
      }
    })();
    await eventually(
      () => ask('/quick'),
      ({ status }) => status === 503,
    );
    isBusy = false;
    await turns;
    await eventually(
      () => ask('/quick'),
      ({ status }) => status === 200,
    );
  });
});

describe('a process that shuts down', () => {
  it('finishes running requests, and answers new ones with 503 and a problem document', async () => {
    const socket = connect(port(), '127.0.0.1').setEncoding('utf8');
    const asking = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    asking('/slow');
    await underWay(1);
    const closed = fastify.close();
    await turn();
    asking('/quick');
    await turn();
    finish.forEach((one) => one());
    await Promise.all([closed, once(socket, 'close')]);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('HTTP/1.1 503 Service Unavailable\r\n');
    expect(text).toContain('content-type: application/problem+json');
    expect(text).toContain('"code":"not_ready"');
  });
});
