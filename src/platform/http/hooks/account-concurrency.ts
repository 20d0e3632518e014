import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { getAccountId, isClosed } from '../request.js';
import type { AccountLines, Permit } from '../../concurrency/account-lines.js';

/**
 * Requests to these routes are not limited, because they mostly wait for registries and rarely hold a database
 * connection.
 */
const UNLIMITED_ROUTES = new Set(['/v1/domains/check']);
/**
 * A stream of events takes one of the account's places only until its response begins, because later it mostly waits.
 */
const STREAM_ROUTES = new Set(['/v1/events/stream']);

/**
 * Limits concurrent requests per account. Further requests wait before they take a database connection. A request
 * counts from when its body was read, so clients that send slowly block no others. A request counts until its response
 * is sent.
 */
export function limitAccountConcurrency(fastify: FastifyInstance, lines: AccountLines): void {
  const limited = new WeakSet<RouteHandlerMethod>();
  /**
   * The permits of streams whose response has not begun. A permit is released when the response begins, because Nest's
   * handler ends only when the client disconnects.
   */
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

type OpeningStreams = WeakMap<FastifyRequest, Permit>;

/** Makes the handler wait for a permit. @param opening null for a route without a stream */
function withPermit(
  handler: RouteHandlerMethod,
  lines: AccountLines,
  opening: OpeningStreams | null,
): RouteHandlerMethod {
  return async function (request, reply) {
    const account = getAccountId(request);
    if (account === undefined) return handler.call(this, request, reply);
    const permit = isClosed(reply) ? null : await lines.enter(account, (leave) => reply.raw.once('close', leave));
    if (permit === null) return void reply.hijack(); // the client has disconnected
    opening?.set(request, permit);
    try {
      if (!isClosed(reply)) return await handler.call(this, request, reply);
      void reply.hijack(); // the client disconnected while waiting
      return undefined;
    } finally {
      permit.finishWork();
      if (opening !== null || isClosed(reply)) permit.release();
      else reply.raw.once('close', () => permit.release());
    }
  };
}

/**
 * Runs the handler at once, whatever the limits of the account. Records the request, so that background work pauses
 * while clients are active.
 */
function withoutPermit(handler: RouteHandlerMethod, lines: AccountLines): RouteHandlerMethod {
  return function (request, reply) {
    lines.recordActivity();
    return handler.call(this, request, reply);
  };
}
