import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const LIMIT_MS = 1_000;

let service: TestService;
let server: Server;
let sockets: Socket[] = [];
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  await service.app.listen(0, '127.0.0.1');
  server = service.app.getHttpServer();
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(() => service.close());

const open = () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  sockets.push(socket);
  return socket;
};
const head = (path: string, type: string, key: string) =>
  [
    `POST ${path} HTTP/1.1`,
    ...['host: here', `authorization: Bearer ${key}`, `content-type: ${type}`, 'content-length: 1000', '', ''],
  ].join('\r\n');
/** Sends the beginning, and then a byte now and then, until it is answered. */
async function drip(beginning: string, byte: string): Promise<string> {
  const socket = open();
  socket.write(beginning);
  const timer = setInterval(() => socket.write(byte), 100);
  return text(socket).finally(() => clearInterval(timer));
}
const importFile = (name: string, key: string) =>
  service.call({
    ...{ method: 'POST', path: '/v1/watchlist/import', body: `domain\n${name}`, key },
    headers: { 'content-type': 'text/csv' },
  });

describe('who sends slowly', () => {
  it('takes no place of those whose files are there', async () => {
    const slow = await Promise.all(Array.from({ length: 5 }, () => service.openAccount()));
    let begun = 0;
    server.on('request', () => (begun += 1));
    for (const { key } of slow) open().write(`${head('/v1/watchlist/import', 'text/csv', key)}domain`);
    await eventually(
      () => Promise.resolve(begun),
      (all) => all === slow.length,
    );
    const isRefused = async ({ key }: { key: string }) => (await importFile('slow.test', key)).status === 429;
    for (const one of slow) await eventually(() => isRefused(one), Boolean); // one of an account at a time
    expect(await importFile('quick.test', service.account.key)).toMatchObject({ status: 200, body: { created: 1 } });
  });

  describe('is cut off when the time of a request is over, however much still comes', () => {
    const times = () => ({ request: server.requestTimeout, headers: server.headersTimeout });
    let usual: ReturnType<typeof times>;
    beforeAll(() => {
      usual = times();
      [server.requestTimeout, server.headersTimeout] = [LIMIT_MS, LIMIT_MS];
    });
    afterAll(() => {
      [server.requestTimeout, server.headersTimeout] = [usual.request, usual.headers];
    });

    it('which is 30 seconds, and 10 for the headers', () => {
      expect(usual).toEqual({ request: 30_000, headers: 10_000 });
    });

    it.each([
      ['a file', () => `${head('/v1/watchlist/import', 'text/csv', service.account.key)}domain\n`, 'x'],
      ['JSON', () => `${head('/v1/watchlist', 'application/json', service.account.key)}{`, ' '],
      ['the body of a request without a key', () => `${head('/v1/watchlist', 'application/json', 'none')}{`, ' '],
      ['headers', () => 'GET /livez HTTP/1.1\r\nhost: here\r\nx-slow: ', 'x'],
    ])('%s', async (what, beginning, byte) => {
      const answer = await drip(beginning(), byte);
      expect(answer).toMatch(what.includes('without a key') ? /^HTTP\/1.1 40[18] / : /^HTTP\/1.1 408 /);
    });
  });
});
