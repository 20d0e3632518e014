import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { handleClientError } from '../../../src/platform/http/errors/protocol-errors.js';
import { ApiDocument } from '../../support/documents/api-document.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  await service.app.listen(0, '127.0.0.1');
  port = (service.app.getHttpServer().address() as AddressInfo).port;
});
afterAll(() => service.close());

/** What the server says to these bytes until it closes the connection, every header and the body. */
async function say(bytes: string, to = port) {
  const socket = connect(to, '127.0.0.1');
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

describe('what is no request', () => {
  it.each<[string, string, number, string]>([
    ['a request line of nonsense', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['another protocol', request('GET / SPDY/9'), 400, 'invalid_request'],
    ['an unknown method', request('BREW /pot HTTP/1.1'), 400, 'invalid_request'],
    ['two lengths', request(GET, 'Content-Length: 5', 'Transfer-Encoding: chunked'), 400, 'invalid_request'],
    ['a broken header', request(GET, 'No Colon'), 400, 'invalid_request'],
    ['no host', 'GET /v1/watchlist HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
    ['two hosts', request(GET, 'Host: elsewhere'), 400, 'invalid_request'],
    ['the same host twice', request(GET, 'host: here'), 400, 'invalid_request'],
    ['too many headers', request(GET, `X-Large: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
    ['a path that is too long', request(`GET /${'a'.repeat(20_000)} HTTP/1.1`), 431, 'headers_too_large'],
    ['an expectation', request(GET, 'Expect: foo'), 417, 'expectation_failed'],
  ])('is refused as a problem document: %s', async (_, bytes, status, code) => {
    const { line, headers, body, length } = await say(bytes);
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} \\w`));
    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/problem+json', 'content-length': String(length), connection: 'close' },
      ...{ 'cache-control': 'no-store', 'x-request-id': body['request_id'] },
    });
    expect(body).toMatchObject({ type: `/problems/${code}`, status, code, retryable: false });
    expect(body).toMatchObject({ title: expect.any(String), detail: expect.any(String), instance: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each(['getLiveness', 'getReadiness'])('is refused as the API document says for %s', async (operationId) => {
    const document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
    const operation = document.operation(operationId);
    const { line, headers, body } = await say(
      request(`GET ${operation.path} HTTP/1.1`, `X-Large: ${'a'.repeat(20_000)}`),
    );
    expect(document.objections(operation, { status: Number(line.split(' ')[1]), headers, body })).toEqual([]);
  });

  it('is refused when it does not come to its end', async () => {
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 20 });
    server.on('clientError', handleClientError).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await say('GET / HTTP/1.1\r\n', (server.address() as AddressInfo).port);
    expect(answer).toMatchObject({ line: 'HTTP/1.1 408 Request Timeout', body: { code: 'request_timeout' } });
    server.close();
  });
});
