import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import Fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  closeUnusedConnections,
  enforceWriteTimeout,
  warnAboutUntrustedProxy,
} from '../../../../src/platform/http/hooks/connections.js';

it('shutdown closes an unused connection at once, but waits for a connection with a request', async () => {
  const fastify = Fastify({ forceCloseConnections: 'idle' });
  closeUnusedConnections(fastify);
  const answer = Promise.withResolvers<string>();
  fastify.get('/', () => answer.promise);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;

  const silent = connect(port, '127.0.0.1');
  const asking = connect(port, '127.0.0.1');
  asking.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
  await Promise.all([once(silent, 'connect'), once(fastify.server, 'request')]);
  const closed = fastify.close();
  await once(silent, 'close');
  answer.resolve('done');
  expect(await text(asking)).toMatch(/^HTTP\/1.1 200 OK[^]*done$/);
  await closed;
});

describe('the header X-Forwarded-For', () => {
  afterEach(() => void jest.restoreAllMocks());

  const warningsOf = async (trustProxy: boolean | string[], forwarded: readonly (string | undefined)[]) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const app = Fastify({ trustProxy });
    warnAboutUntrustedProxy(app);
    app.get('/', () => 'here');
    for (const address of forwarded)
      await app.inject({ url: '/', remoteAddress: '10.0.0.1', headers: address ? { 'x-forwarded-for': address } : {} });
    await app.close();
    return warn.mock.calls.map(([text]) => String(text));
  };

  it('causes one warning if no proxy is trusted', async () => {
    const warnings = await warningsOf(false, [undefined, '192.0.2.1', '192.0.2.2']);
    expect(warnings).toEqual([expect.stringMatching(/from 10\.0\.0\.1 is ignored.*set TRUST_PROXY/)]);
  });

  it('causes a warning if it comes from a proxy that is not trusted', async () => {
    expect(await warningsOf(['10.0.0.2'], ['192.0.2.1'])).toHaveLength(1);
  });

  it('causes no warning if its proxy is trusted or the header is absent', async () => {
    expect(await warningsOf(['10.0.0.0/8'], ['192.0.2.1'])).toEqual([]);
    expect(await warningsOf(false, [undefined])).toEqual([]);
  });
});

const TIMEOUT_MS = 150;

function* endless() {
  while (true) yield 'x'.repeat(65_536);
}

describe('a client', () => {
  let fastify: FastifyInstance;
  let sources: Readable[];

  beforeEach(async () => {
    sources = [];
    fastify = Fastify();
    enforceWriteTimeout(fastify, TIMEOUT_MS);
    fastify.get('/endless', () => {
      const source = Readable.from(endless(), { objectMode: false });
      sources.push(source);
      return source;
    });
    fastify.get('/late', () => pause(4 * TIMEOUT_MS, 'done'));
    await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => fastify.close());

  const asking = (path: string) => {
    const socket = connect((fastify.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined); // being cut off is what this is about
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return socket;
  };

  it('is disconnected if it reads nothing of its response, and the response is ended', async () => {
    const socket = asking('/endless');
    const response = await once(fastify.server, 'request').then(([, answer]) => answer as Readable);
    await once(response, 'close');
    expect(sources).toMatchObject([{ destroyed: true }]);
    socket.destroy();
  });

  it('stays connected if it reads slowly or waits long for its response', async () => {
    const [slow, late] = [asking('/endless').pause(), asking('/late').setEncoding('utf8')];
    const answer = once(late, 'data');
    for (let taken = 0; taken < 12; taken += 1) {
      await pause(TIMEOUT_MS / 3);
      for (let bytes = 0; bytes < 8_000_000;) {
        const chunk = slow.read() as Buffer | null;
        if (chunk) bytes += chunk.length;
        else await once(slow, 'readable');
      }
    }
    expect(sources).toMatchObject([{ destroyed: false }]);
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 OK/);
    for (const socket of [slow, late]) socket.destroy();
  });
});
