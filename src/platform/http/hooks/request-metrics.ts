import type { FastifyInstance } from 'fastify';
import type { ProblemReply } from '../errors/problem.filter.js';
import type { Metrics } from '../../metrics/metrics.js';

/** Open for as long as its client listens. */
const STREAM = '/v1/events/stream';
/** The routes are known at the start; those of extensions are among them. */
const MAX_ROUTES = 300;
const MAX_METHODS = 10;
const MAX_STATUSES = 6;
const MAX_CODES = 200;

/** Measures requests by the template of their route, never by their path. */
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
    const { problemCode } = reply as ProblemReply;
    if (problemCode !== undefined) problems.increment(problemCode);
    const status = STATUS_CLASSES[Math.floor(reply.statusCode / 100)] ?? 'other';
    if (route !== STREAM) durations.observe(reply.elapsedTime / 1_000, route, request.method, status);
    done();
  });
}

const STATUS_CLASSES = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];
