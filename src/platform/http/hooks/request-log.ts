import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.js';
import { traceIdOf } from '../../../kernel/tracing/tracer.js';
import { getAccountId, getCallerName } from '../account-id.js';
import { redactedPath, type ProblemReply } from '../errors/problem.filter.js';
import { getClientRequestId } from './request-id.js';
import type { TracedRequest } from './request-traces.js';

/** Polled every few seconds; not worth logging. */
const UNLOGGED_PATHS = new Set(['/livez', '/readyz']);
/** At other levels no request pays for a line that is not written. */
const LEVELS_SHOWING_ALL = new Set(['trace', 'debug', 'info']);
const LEVELS_SHOWING_FAILURES = new Set([...LEVELS_SHOWING_ALL, 'warn', 'error']);

/**
 * Logs one line per request: method, path, account, key or identity, status, duration and problem code; 5xx as errors. Never
 * queries or bodies, and of the headers only what the client calls the request.
 */
export function logRequests(fastify: FastifyInstance, { level, format }: Config['log']): void {
  if (!LEVELS_SHOWING_FAILURES.has(level)) return;
  const log = new Logger('Http');
  fastify.addHook('onResponse', (request, reply, done) => {
    const entry = toLogEntry(request, reply);
    if (UNLOGGED_PATHS.has(entry.path)) return done();
    const line: [unknown, ...unknown[]] = format === 'pretty' ? [toSentence(entry)] : [entry, 'request'];
    if (entry.status >= 500) log.error(...line);
    else if (LEVELS_SHOWING_ALL.has(level)) log.log(...line);
    done();
  });
}

type LogEntry = ReturnType<typeof toLogEntry>;

function toLogEntry(request: FastifyRequest, reply: FastifyReply) {
  const { id: requestId, method, ip, url, headers } = request;
  const clientRequestId = getClientRequestId(headers);
  const account = getAccountId(request);
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const code = (reply as ProblemReply).problemCode;
  return {
    requestId,
    ...(clientRequestId === null ? {} : { clientRequestId }),
    method,
    path: redactedPath(url),
    status: reply.statusCode,
    ...(code ? { code } : {}),
    ms,
    ip,
    account,
    by: getCallerName(request),
    ...traceIdOf((request as TracedRequest).traceparent ?? null),
  };
}

/** The pretty format shows no fields, so they are in the text. */
function toSentence({ method, path, status, code, ms, requestId }: LogEntry): string {
  return `${method} ${path} ${status} ${Math.round(ms)} ms${code === undefined ? '' : ` ${code} (${requestId})`}`;
}
