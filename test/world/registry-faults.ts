import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { RDAP, rdapNotFound, rdapRecord } from '../support/builders/rdap-answers.js';

/** How a registry answers one query, truthfully or not. */
export type RegistryAnswer = (reply: ServerResponse, name: string) => void;

/** Any status, media type and body. */
export function saying(status: number, body: unknown, headers: Record<string, string> = {}): RegistryAnswer {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return (reply) => reply.writeHead(status, { 'content-type': RDAP, ...headers }).end(text);
}

/** The same answer, so much later; milliseconds. */
export function slowly(milliseconds: number, answer: RegistryAnswer): RegistryAnswer {
  return (reply, name) => void setTimeout(() => answer(reply, name), milliseconds);
}

let bomb: Buffer | undefined;

/** Misbehaviour seen at real servers and at hostile ones. */
export const registryFaults = {
  htmlNotFound: saying(404, '<html><title>404 Not Found</title></html>', { 'content-type': 'text/html' }),
  emptyNotFound: (mediaType?: string): RegistryAnswer => {
    return (reply) => reply.writeHead(404, mediaType ? { 'content-type': mediaType } : {}).end();
  },
  otherName: saying(200, rdapRecord('another.example')),
  emptyObject: saying(200, {}),
  /** A server in front of the registry has had enough of us, and says so as if all were well. */
  limitPage: saying(200, '<html><title>Too many requests</title></html>', { 'content-type': 'text/html' }),
  forbidden: saying(403, { errorCode: 403 }),
  unauthorised: saying(401, { errorCode: 401, notices: { title: 'Quota exceeded 31/30' } }),
  throttled: (retryAfter?: string): RegistryAnswer =>
    saying(429, { errorCode: 429 }, retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  overloaded: (retryAfter?: string): RegistryAnswer =>
    saying(503, 'busy', retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  redirect: (location: string): RegistryAnswer => saying(302, '', { location }),
  /** The record follows, and a notice that we asked too often; `notices` an object instead of a list. */
  quotaNotice: ((reply, name) => {
    const notices = { title: 'Quota exceeded 31/30', description: 'Your quota of queries is used up.' };
    return saying(200, { ...rdapRecord(name), notices })(reply, name);
  }) as RegistryAnswer,
  halfJson: ((reply, name) => {
    const whole = JSON.stringify(rdapRecord(name));
    return saying(200, whole.slice(0, whole.length / 2))(reply, name);
  }) as RegistryAnswer,
  /** The connection ends in the middle of the promised body. */
  cutOff: ((reply) => {
    const whole = JSON.stringify(rdapNotFound());
    reply.writeHead(404, { 'content-type': RDAP, 'content-length': whole.length }).flushHeaders();
    reply.write(whole.slice(0, 20), () => reply.destroy());
  }) as RegistryAnswer,
  /** Fifty megabytes in fifty kilobytes. */
  gzipBomb: ((reply) => {
    bomb ??= gzipSync(Buffer.alloc(50 * 1_024 * 1_024, ' '));
    reply.writeHead(404, { 'content-type': RDAP, 'content-encoding': 'gzip' }).end(bomb);
  }) as RegistryAnswer,
  /** A gigabyte, as fast as it is taken. */
  endless: ((reply) => {
    const chunk = Buffer.alloc(64 * 1_024, ' ');
    let left = 16 * 1_024;
    const pour = () => {
      while (left-- > 0) if (!reply.write(chunk)) return void reply.once('drain', pour);
      reply.end();
    };
    reply.writeHead(200, { 'content-type': RDAP });
    pour();
  }) as RegistryAnswer,
  /** One byte now and then: no idle timer ever fires. */
  drip: ((reply) => {
    reply.writeHead(200, { 'content-type': RDAP });
    const timer = setInterval(() => reply.write(' '), 20);
    reply.once('close', () => clearInterval(timer));
  }) as RegistryAnswer,
  /** The answer is about to come, over and over (RFC 9110 §15.2). */
  onlyPromises: ((reply) => {
    const { socket } = reply;
    const more = () => {
      while (socket && !socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)));
    };
    socket?.on('drain', more).on('error', () => undefined);
    more();
  }) as RegistryAnswer,
  /** Headers without an end. */
  onlyHeaders: ((reply) => {
    const { socket } = reply;
    const more = () => {
      while (socket && !socket.destroyed && socket.write(`x-more: ${'of the same '.repeat(100)}\r\n`));
    };
    socket?.write('HTTP/1.1 200 OK\r\n');
    socket?.on('drain', more).on('error', () => undefined);
    more();
  }) as RegistryAnswer,
  /** A promise of more than we read, and less than that. */
  boasting: ((reply) => {
    reply.writeHead(404, { 'content-type': RDAP, 'content-length': 2 ** 40 }).write('{');
  }) as RegistryAnswer,
  /** Takes the question and says nothing. */
  silence: (() => undefined) as RegistryAnswer,
  hangUp: ((reply) => reply.destroy()) as RegistryAnswer,
  noHttp: ((reply) => reply.socket?.end('220 ready\r\n')) as RegistryAnswer,
};
