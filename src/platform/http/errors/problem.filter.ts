import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, toProblem } from './problem.js';

/** Everything thrown on the way to an answer leaves through here, as one shape. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = requestProblem(error, request);
    if (problem.unexpected) this.log.error({ err: error, requestId: request.id }, 'a request failed unexpectedly');
    if (!reply.sent) sendProblem(reply, problem);
  }
}

export function requestProblem(error: unknown, { id, method, url }: FastifyRequest): Problem {
  const input = method === 'GET' || method === 'HEAD' ? 'query' : 'body';
  return toProblem(error, { path: redactedPath(url), requestId: id, input });
}

/** The code of the problem that was answered, for the request's line in the log. */
export interface ProblemReply extends FastifyReply {
  problemCode?: string;
}

export function sendProblem(reply: FastifyReply, { status, headers, body }: Problem): void {
  (reply as ProblemReply).problemCode = String(body['code']);
  void reply
    .status(status)
    .headers({ ...headers, 'x-request-id': reply.request.id, 'content-type': 'application/problem+json' })
    .send(Buffer.from(JSON.stringify(body))); // as text it would be given a charset, which this type has not
}

/** What the links of mails carry, an id sealed with the master key; and keys and secrets that were pasted into a URL. */
const SECRETS = /[0-9a-f]{8}(\.|%2e)[\w-]{38,}|nw_[0-9a-z]{26}\w*|whsec_[\w+/=%-]*/gi;

const MAX_DECODINGS = 8;

/**
 * Without the query, which may hold what people typed, and without tokens, which act for whoever reads them: also where
 * some of their characters are percent-encoded, once or several times.
 */
export function redactedPath(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return path.replace(SECRETS, '…');
  const decoded = decodeFully(path);
  if (decoded === null) return '…';
  // A secret of which a part is encoded would else be redacted in part.
  return decoded.search(SECRETS) < 0 ? path : decoded.replace(SECRETS, '…');
}

/** null for what is encoded more often than anybody does by mistake. */
function decodeFully(text: string): string | null {
  for (let decoded = text, remaining = MAX_DECODINGS; remaining > 0; remaining -= 1) {
    const next = decodeAscii(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return null;
}

/** What could spell a token; anything else stays as it is, malformed sequences included. */
function decodeAscii(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
