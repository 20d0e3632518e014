import { context, type Span, SpanKind, trace } from '@opentelemetry/api';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.js';
import { getAccountId, getCallerName, getClientRequestId } from '../request.js';
import { redactedPath } from '../errors/problem.filter.js';
import type { Metrics } from '../../metrics/metrics.js';
import { contextOf, failSpan, traceIdOf, tracer } from '../../tracing/spans.js';

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span;
  }
}

/** Health probes come every few seconds, so they get no log line and no trace. */
const PROBES = new Set(['/livez', '/readyz']);
/** Metrics and traces leave out this route, because a stream is open for as long as its client listens. */
const EVENT_STREAM = '/v1/events/stream';
/** Log levels at which successful requests are logged. */
const LEVELS_SHOWING_ALL = new Set(['trace', 'debug', 'info']);
const LEVELS_SHOWING_FAILURES = new Set([...LEVELS_SHOWING_ALL, 'warn', 'error']);

/** Never logs queries, bodies or headers, except the client's own request id. */
export function logRequests(fastify: FastifyInstance, { logLevel: level, logFormat: format }: Config): void {
  if (!LEVELS_SHOWING_FAILURES.has(level)) return;
  const log = new Logger('Http');
  fastify.addHook('onResponse', (request, reply, done) => {
    const entry = toLogEntry(request, reply);
    if (PROBES.has(entry.path)) return done();
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
  const code = reply.problemCode;
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
    ...traceIdOf(request.span),
  };
}

/** Writes the request as text, because the pretty log format shows no fields. */
function toSentence({ method, path, status, code, ms, requestId }: LogEntry): string {
  return `${method} ${path} ${status} ${Math.round(ms)} ms${code === undefined ? '' : ` ${code} (${requestId})`}`;
}

/**
 * Limits how many routes the metrics distinguish. The limit is enough for all routes, including those of extensions.
 */
const MAX_ROUTES = 300;
const MAX_METHODS = 10;
const MAX_STATUSES = 6;
const MAX_CODES = 200;
const STATUS_CLASSES = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** Measures requests by the template of their route, such as `/v1/watchlist/:id`, because paths contain ids. */
export function measureRequests(fastify: FastifyInstance, metrics: Metrics): void {
  const durations = metrics.histogram(
    'namewatch_http_request_duration_seconds',
    'Time from the first byte of a request to the end of its response, by route; without event streams.',
    { route: MAX_ROUTES, method: MAX_METHODS, status: MAX_STATUSES },
  );
  const problems = metrics.counter(
    'namewatch_http_problems_total',
    'Responses with a problem, by its code. Limits refuse with rate_limited, too_many_concurrent_requests, plan_limit_reached and overloaded.',
    { code: MAX_CODES },
  );
  fastify.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown' } = request.routeOptions;
    const route = request.is404 ? 'unknown' : url;
    const { problemCode } = reply;
    if (problemCode !== undefined) problems.increment(problemCode);
    const status = STATUS_CLASSES[Math.floor(reply.statusCode / 100)] ?? 'other';
    if (route !== EVENT_STREAM) durations.observe(reply.elapsedTime / 1_000, route, request.method, status);
    done();
  });
}

/** The span is named by the route, because a path may contain a token. */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    if (PROBES.has(route) || route === EVENT_STREAM) return done();
    const { method, headers } = request;
    const clientId = getClientRequestId(headers);
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'namewatch.request_id': request.id,
      ...(clientId !== null && { 'namewatch.client_request_id': clientId }),
    };
    // The parent is the active span of a host application, or else the client's span.
    const around = trace.getActiveSpan() ? context.active() : contextOf(String(headers['traceparent']));
    request.span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, around);
    done();
  });
  // The span becomes current only after the body was read, because reading the body would lose the context.
  fastify.addHook('preHandler', ({ span }, _reply, done) => {
    if (span === undefined) return done();
    context.with(trace.setSpan(context.active(), span), done);
  });
  fastify.addHook('onResponse', ({ span }, reply, done) => {
    span?.setAttributes({ 'http.response.status_code': reply.statusCode });
    const { problemCode } = reply;
    if (problemCode !== undefined) span?.setAttributes({ 'namewatch.problem': problemCode });
    if (span && reply.statusCode >= 500) failSpan(span, problemCode ?? String(reply.statusCode));
    span?.end();
    done();
  });
}
