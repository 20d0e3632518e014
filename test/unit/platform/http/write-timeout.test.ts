import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { enforceWriteTimeout } from '../../../../src/platform/http/hooks/connections.js';

const TIMEOUT_MS = 150;
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

function* endless() {
  while (true) yield 'x'.repeat(65_536);
}
const asking = (path: string) => {
  const socket = connect((fastify.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined); // being cut off is what this is about
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
};

describe('a client', () => {
  it('that reads nothing of its response is disconnected, which ends the response', async () => {
    const socket = asking('/endless');
    const response = await once(fastify.server, 'request').then(([, answer]) => answer as Readable);
    await once(response, 'close');
    expect(sources).toMatchObject([{ destroyed: true }]);
    socket.destroy();
  });

  it('that reads slowly is not disconnected, nor one that waits for its response', async () => {
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
