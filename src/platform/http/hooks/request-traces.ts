import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Span, Tracer } from '../../../kernel/tracing/tracer.js';
import { getClientRequestId } from './request-id.js';
import type { ProblemReply } from '../errors/problem.filter.js';

/** With what its line in the log names. */
export interface TracedRequest {
  traceparent?: string | null;
}

/** Polled every few seconds, or open for as long as a client listens. */
const UNTRACED_ROUTES = new Set(['/livez', '/readyz', '/v1/events/stream']);

/**
 * A span for each request, named by the template of its route: a path may hold a token. A client's `traceparent` makes
 * it part of the client's trace.
 */
export function traceRequests(fastify: FastifyInstance, tracer: Tracer): void {
  if (!tracer.isEnabled) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  const wrapped = new WeakSet<RouteHandlerMethod>();
  fastify.addHook('onRoute', (route) => {
    const { handler } = route;
    if (wrapped.has(handler)) return; // HEAD shares GET's handler
    route.handler = function (request, reply) {
      const handle = () => handler.call(this, request, reply);
      return spans.get(request)?.run(handle) ?? handle();
    };
    wrapped.add(route.handler);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    if (UNTRACED_ROUTES.has(route)) return done();
    const { method, headers } = request;
    const parent = typeof headers['traceparent'] === 'string' ? headers['traceparent'] : null;
    const clientId = getClientRequestId(headers);
    const attributes = {
      ...{ 'http.request.method': method, 'http.route': route, 'namewatch.request_id': request.id },
      ...(clientId !== null && { 'namewatch.client_request_id': clientId }),
    };
    const span = tracer.start({ name: `${method} ${route}`, kind: 'server', parent, attributes });
    spans.set(request, span);
    (request as TracedRequest).traceparent = span.traceparent;
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttributes({ 'http.response.status_code': reply.statusCode });
    const { problemCode } = reply as ProblemReply;
    if (problemCode !== undefined) span?.setAttributes({ 'namewatch.problem': problemCode });
    if (reply.statusCode >= 500) span?.fail(problemCode ?? String(reply.statusCode));
    span?.end();
    done();
  });
}
