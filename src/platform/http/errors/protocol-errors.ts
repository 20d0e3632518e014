import type { ConnectionError, FastifyInstance } from 'fastify';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '../../../kernel/domain-error.js';
import { InvalidRequest } from './invalid-request.js';
import { redactedPath } from './problem.filter.js';
import { type Problem, toProblem } from './problem.js';
import { newRequestId } from '../request.js';
import { SECURITY_HEADERS } from '../hooks/security-headers.js';

/**
 * Responds if Node rejects a request before Fastify sees it, for instance because the request breaks RFC 9112
 * (HTTP/1.1).
 */
export function handleClientError(error: ConnectionError, socket: Socket, basePath = ''): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return; // the client is gone
  }
  const requestId = newRequestId();
  const problem = toProblem(toDomainError(error), { basePath, path: '/', requestId, input: 'body' });
  const { text, headers } = render(problem, requestId);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\n`;
  // Destroys the socket only after the response is sent.
  socket.end(`${status}${head.join('')}\r\n${text}`, () => socket.destroy());
}

/** Rejects invalid `Expect` and `Host` headers with a problem document. Node would respond with a status alone. */
export function rejectProtocolErrors(fastify: FastifyInstance): void {
  fastify.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    rejectExpectation(request, response, fastify.basePath),
  );
  fastify.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    // RFC 9112, section 3.2. With two Host headers, a proxy could check one and Node could use the other.
    const isInvalid = hosts > 1 || (raw.httpVersion === '1.1' && hosts === 0);
    done(isInvalid ? InvalidRequest.malformed('An HTTP/1.1 request must have exactly one Host header.') : undefined);
  });
}

function rejectExpectation(request: IncomingMessage, response: ServerResponse, basePath: string): void {
  const requestId = newRequestId();
  const refusal = new DomainError('expectation_failed', 'Only the expectation 100-continue is supported.');
  const path = redactedPath(request.url ?? '/');
  const problem = toProblem(refusal, { basePath, path, requestId, input: 'body' });
  const { text, headers } = render(problem, requestId);
  response.writeHead(problem.status, headers).end(text);
}

function toDomainError({ code }: ConnectionError): DomainError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new DomainError('request_timeout', 'The request was not complete in time.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new DomainError('headers_too_large', 'The request line and the headers may have 16 KiB together.');
  return InvalidRequest.malformed('This is not a valid HTTP/1.1 request.');
}

function render({ headers, body }: Problem, requestId: string) {
  const text = JSON.stringify(body);
  const about = { 'content-type': 'application/problem+json', 'content-length': String(Buffer.byteLength(text)) };
  const others = { 'x-request-id': requestId, 'cache-control': 'no-store', connection: 'close' };
  return { text, headers: { ...SECURITY_HEADERS, ...headers, ...about, ...others } };
}
