import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { getAccountId, isClosed } from '../request.js';
import type { AccountLines, Permit } from '../../concurrency/account-lines.js';
import { runInRequest } from '../../concurrency/request-context.js';

/**
 * These wait for registries and hold database connections only briefly; budgets and the limit on requests in flight
 * bound them.
 */
const UNLIMITED_ROUTES = new Set(['/v1/domains/check']);
/** An open stream works only on events; an account has at most five. */
const STREAM_ROUTES = new Set(['/v1/events/stream']);

/**
 * Limits concurrent requests per account; the rest wait in the account's line before they take a database connection. Runs after the
 * body was read, so slow senders block no others. A response that is still being sent, such as an export, keeps its
 * account's slot.
 */
export function limitAccountConcurrency(fastify: FastifyInstance, lines: AccountLines): void {
  const limited = new WeakSet<RouteHandlerMethod>();
  /** Nest's handler resolves when the response ends: that of a stream, when its client leaves. */
  const opening: OpeningStreams = new WeakMap();
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    opening.get(request)?.release();
    done();
  });
  fastify.addHook('onRoute', (route) => {
    const { handler, url } = route;
    if (limited.has(handler)) return; // HEAD shares GET's handler
    route.handler = UNLIMITED_ROUTES.has(url)
      ? withoutPermit(handler, lines)
      : withPermit(handler, lines, STREAM_ROUTES.has(url) ? opening : null);
    limited.add(route.handler);
  });
}

/** Permits of streams that are being opened, released as soon as their response begins. */
type OpeningStreams = WeakMap<FastifyRequest, Permit>;

/**
 * Public routes have no account and are limited elsewhere.
 * @param opening for a stream; null for every other route
 */
function withPermit(
  handler: RouteHandlerMethod,
  lines: AccountLines,
  opening: OpeningStreams | null,
): RouteHandlerMethod {
  return async function (request, reply) {
    const account = getAccountId(request);
    if (account === undefined) return runInRequest(() => handler.call(this, request, reply), request);
    const permit = isClosed(reply) ? null : await lines.enter(account, (leave) => reply.raw.once('close', leave));
    if (permit === null) return void reply.hijack(); // nobody is there to be answered
    opening?.set(request, permit);
    try {
      if (!isClosed(reply)) return await runInRequest(() => handler.call(this, request, reply), request);
      void reply.hijack(); // the client disconnected while waiting
      return undefined;
    } finally {
      permit.finishWork();
      if (opening !== null || isClosed(reply)) permit.release();
      else reply.raw.once('close', () => permit.release());
    }
  };
}

/** Background work gives way to these too: at their start, and for as long after as to any other request. */
function withoutPermit(handler: RouteHandlerMethod, lines: AccountLines): RouteHandlerMethod {
  return function (request, reply) {
    lines.recordActivity();
    return runInRequest(() => handler.call(this, request, reply), request);
  };
}
