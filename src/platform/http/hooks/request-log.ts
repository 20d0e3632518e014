import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.js';
import { pathOf, type ProblemReply } from '../errors/problem.filter.js';

/** Asked every few seconds by whoever runs the service; nobody reads that. */
const SILENT = new Set(['/livez', '/readyz']);
/** Where less is logged, no request pays for a line that nobody would see. */
const ALL_SHOWN_AT = new Set(['trace', 'debug', 'info']);
const FAILURES_SHOWN_AT = new Set([...ALL_SHOWN_AT, 'warn', 'error']);

/**
 * One line for each request that was answered: what, by whom, how, how long, and the code of a refusal. Failures of
 * the service are errors. Never headers, queries or bodies.
 */
export function logRequests(fastify: FastifyInstance, { level, format }: Config['log']): void {
  if (!FAILURES_SHOWN_AT.has(level)) return;
  const log = new Logger('Http');
  fastify.addHook('onResponse', (request, reply, done) => {
    const line = lineOf(request, reply);
    const message = format === 'pretty' ? sentenceOf(line) : 'request';
    if (SILENT.has(line.path)) return done();
    if (line.status >= 500) log.error(line, message);
    else if (ALL_SHOWN_AT.has(level)) log.log(line, message);
    done();
  });
}

type Line = ReturnType<typeof lineOf>;

function lineOf(request: FastifyRequest, reply: FastifyReply) {
  const { id: requestId, method, ip, url } = request;
  const account = (request as { caller?: { account: { id: string } } | null }).caller?.account.id;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const code = (reply as ProblemReply).problemCode;
  return { requestId, method, path: pathOf(url), status: reply.statusCode, ...(code ? { code } : {}), ms, ip, account };
}

/** What people read on a terminal, which shows no fields of a request. */
function sentenceOf({ method, path, status, code, ms, requestId }: Line): string {
  return `${method} ${path} ${status} ${Math.round(ms)} ms${code === undefined ? '' : ` ${code} (${requestId})`}`;
}
