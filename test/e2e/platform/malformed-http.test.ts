import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { handleClientError } from '../../../src/platform/http/errors/protocol-errors.js';
import { ApiDocument } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(async () => {
  const started = await startTestService({ ROLE: 'api' });
  await started.app.listen(0, '127.0.0.1');
  return started;
});
const listening = (): Server => service.app.getHttpServer();
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** The server's answer to these bytes until it closes the connection: every header and the body. */
async function say(bytes: string, to = listening()) {
  const socket = connect(portOf(to), '127.0.0.1');
  socket.write(bytes);
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split(/\r\n\r\n/, 2);
  const [line = '', ...rest] = head.split('\r\n');
  const pairs = rest.map((one) => one.split(': ', 2) as [string, string]);
  const headers: Record<string, string> = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return { line, headers, body: JSON.parse(body) as Record<string, unknown>, length: Buffer.byteLength(body) };
}

const request = (line: string, ...headers: string[]) =>
  [line, 'Host: here', 'Connection: close', ...headers, '', ''].join('\r\n');
const GET = 'GET /v1/watchlist?a=secret HTTP/1.1';

describe('a malformed HTTP request', () => {
  it.each<[string, string, number, string]>([
    ['a nonsense request line', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['another protocol', request('GET / SPDY/9'), 400, 'invalid_request'],
    ['an unknown method', request('BREW /pot HTTP/1.1'), 400, 'invalid_request'],
    [
      'both Content-Length and Transfer-Encoding',
      request(GET, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      400,
      'invalid_request',
    ],
    ['a header without a colon', request(GET, 'No Colon'), 400, 'invalid_request'],
    ['no host', 'GET /v1/watchlist HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
    ['two hosts', request(GET, 'Host: elsewhere'), 400, 'invalid_request'],
    ['the same host twice', request(GET, 'host: here'), 400, 'invalid_request'],
    ['headers that are too large', request(GET, `X-Large: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
    ['a path that is too long', request(`GET /${'a'.repeat(20_000)} HTTP/1.1`), 431, 'headers_too_large'],
    ['an unknown Expect header', request(GET, 'Expect: foo'), 417, 'expectation_failed'],
  ])('is refused with a problem document if it has %s', async (_, bytes, status, code) => {
    const { line, headers, body, length } = await say(bytes);
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} \\w`));
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'content-length': String(length),
      connection: 'close',
      'cache-control': 'no-store',
      'x-request-id': body['request_id'],
    });
    expect(body).toMatchObject({ type: `/problems/${code}`, status, code, retryable: false });
    expect(body).toMatchObject({ title: expect.any(String), detail: expect.any(String), instance: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each(['getLiveness', 'getReadiness'])('is refused by %s as the API document says', async (operationId) => {
    const document = ApiDocument.committed();
    const operation = document.operation(operationId);
    const { line, headers, body } = await say(
      request(`GET ${operation.path} HTTP/1.1`, `X-Large: ${'a'.repeat(20_000)}`),
    );
    expect(document.objections(operation, { status: Number(line.split(' ')[1]), headers, body })).toEqual([]);
  });

  it('gets 408 if the rest of it does not arrive', async () => {
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 });
    server.on('clientError', handleClientError).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await say('GET / HTTP/1.1\r\n', server);
    expect(answer).toMatchObject({ line: 'HTTP/1.1 408 Request Timeout', body: { code: 'request_timeout' } });
    server.close();
  });
});

/** Sends the beginning, and then a byte now and then, until it is answered. */
async function drip(beginning: string, byte: string): Promise<string> {
  const socket = connect(portOf(listening()), '127.0.0.1').on('error', () => socket.destroy());
  socket.write(beginning);
  const timer = setInterval(() => socket.write(byte), 100);
  return text(socket).finally(() => clearInterval(timer));
}

/** Others keep their places for uploads meanwhile: upload-slots.test.ts shows it. */
describe('a client that sends slowly', () => {
  const times = () => ({ request: listening().requestTimeout, headers: listening().headersTimeout });
  const head = (path: string, type: string, key: string) =>
    request(`POST ${path} HTTP/1.1`, `Authorization: Bearer ${key}`, `Content-Type: ${type}`, 'Content-Length: 1000');
  let usual: ReturnType<typeof times>;
  beforeAll(() => {
    usual = times();
    Object.assign(listening(), { requestTimeout: 1_000, headersTimeout: 1_000 });
  });
  afterAll(() => void Object.assign(listening(), { requestTimeout: usual.request, headersTimeout: usual.headers }));

  it('has 30 seconds for a request and 10 seconds for its headers', () => {
    expect(usual).toEqual({ request: 30_000, headers: 10_000 });
  });

  it('gets 408 when its time is over, although bytes still arrive', async () => {
    const { key } = service.account;
    const answers = await Promise.all([
      drip(`${head('/v1/watchlist/import', 'text/csv', key)}domain\n`, 'x'),
      drip(`${head('/v1/watchlist', 'application/json', key)}{`, ' '),
      drip('GET /livez HTTP/1.1\r\nhost: here\r\nx-slow: ', 'x'),
      drip(`${head('/v1/watchlist', 'application/json', 'none')}{`, ' '),
    ]);
    const statuses = answers.map((answer) => /^HTTP\/1.1 (\d+) /.exec(answer)?.[1]);
    expect(statuses.slice(0, 3)).toEqual(['408', '408', '408']);
    expect(statuses[3]).toMatch(/^40[18]$/);
  });
});
