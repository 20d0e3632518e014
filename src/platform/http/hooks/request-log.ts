import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.js';
import { redactedPath, type ProblemReply } from '../errors/problem.filter.js';

/** Asked every few seconds by whoever runs the service; nobody reads that. */
const UNLOGGED_PATHS = new Set(['/livez', '/readyz']);
/** Where less is logged, no request pays for a line that nobody would see. */
const LEVELS_SHOWING_ALL = new Set(['trace', 'debug', 'info']);
const LEVELS_SHOWING_FAILURES = new Set([...LEVELS_SHOWING_ALL, 'warn', 'error']);

/**
 * One line for each request that was answered: what, by whom, how, how long, and the code of a refusal. Failures of
 * the service are errors. Never headers, queries or bodies.
 */
export function logRequests(fastify: FastifyInstance, { level, format }: Config['log']): void {
  if (!LEVELS_SHOWING_FAILURES.has(level)) return;
  const log = new Logger('Http');
  fastify.addHook('onResponse', (request, reply, done) => {
    const entry = toLogEntry(request, reply);
    const message = format === 'pretty' ? toSentence(entry) : 'request';
    if (UNLOGGED_PATHS.has(entry.path)) return done();
    if (entry.status >= 500) log.error(entry, message);
    else if (LEVELS_SHOWING_ALL.has(level)) log.log(entry, message);
    done();
  });
}

type LogEntry = ReturnType<typeof toLogEntry>;

function toLogEntry(request: FastifyRequest, reply: FastifyReply) {
  const { id: requestId, method, ip, url } = request;
  const account = (request as { caller?: { account: { id: string } } | null }).caller?.account.id;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const code = (reply as ProblemReply).problemCode;
  return {
    requestId,
    method,
    path: redactedPath(url),
    status: reply.statusCode,
    ...(code ? { code } : {}),
    ms,
    ip,
    account,
  };
}

/** What people read on a terminal, which shows no fields of a request. */
function toSentence({ method, path, status, code, ms, requestId }: LogEntry): string {
  return `${method} ${path} ${status} ${Math.round(ms)} ms${code === undefined ? '' : ` ${code} (${requestId})`}`;
}
