import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { redactedError, redactCredentials, SECRETS } from '../../logging/request-credentials.js';
import { type Problem, toProblem } from './problem.js';
import type { ProblemCatalogue } from './problem-catalogue.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The problem codes of this server's application. Without a catalogue, only the built-in codes exist. */
    problemCatalogue?: ProblemCatalogue;
  }
  interface FastifyReply {
    /** The code of the problem that was sent, for the request log. */
    problemCode?: string;
  }
}

/** Converts every error of a request into a problem document. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = requestProblem(error, request);
    if (problem.unexpected)
      this.log.error(
        { err: redactedError(error, redactCredentials), requestId: request.id },
        'unexpected error while handling a request',
      );
    if (!reply.sent) sendProblem(reply, problem);
  }
}

export function requestProblem(error: unknown, { id, method, url, server }: FastifyRequest): Problem {
  const input = method === 'GET' || method === 'HEAD' ? 'query' : 'body';
  const context = { basePath: server.basePath, path: redactedPath(url), requestId: id, input } as const;
  return toProblem(error, context, server.problemCatalogue);
}

export function sendProblem(reply: FastifyReply, { status, headers, body }: Problem): void {
  reply.problemCode = String(body['code']);
  void reply
    .status(status)
    .headers({ ...headers, 'x-request-id': reply.request.id, 'content-type': 'application/problem+json' })
    .send(Buffer.from(JSON.stringify(body))); // bytes, since Fastify adds a charset to text, and this type has none
}

const MAX_DECODINGS = 8;

/**
 * Returns the path without the query and without secret tokens, even if a token is percent-encoded, once or repeatedly.
 */
export function redactedPath(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return path.replace(SECRETS, '…');
  const decoded = decodeFully(path);
  if (decoded === null) return '…';
  // Searching the encoded path would miss encoded parts of a secret.
  return decoded.search(SECRETS) < 0 ? path : decoded.replace(SECRETS, '…');
}

/** Returns null if the text is still encoded after MAX_DECODINGS rounds, since no honest client encodes so often. */
function decodeFully(text: string): string | null {
  for (let decoded = text, remaining = MAX_DECODINGS; remaining > 0; remaining -= 1) {
    const next = decodeAscii(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return null;
}

/**
 * Decodes percent-encoded ASCII characters, because tokens contain no others. Everything else stays, including
 * malformed sequences.
 */
function decodeAscii(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
