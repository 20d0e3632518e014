import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { getAccountId, isClosed } from '../request.js';
import type { AccountLines, Permit } from '../../concurrency/account-lines.js';

/**
 * Requests to these routes are not limited, because they mostly wait for registries and rarely hold a database
 * connection.
 */
const UNLIMITED_ROUTES = new Set(['/v1/domains/check']);
/** A stream of events has a permit only until its response begins, because an open stream mostly waits. */
const STREAM_ROUTES = new Set(['/v1/events/stream']);

/** Counts a request only after its body was read, so that clients that send slowly block no others. */
export function limitAccountConcurrency(fastify: FastifyInstance, lines: AccountLines): void {
  const limited = new WeakSet<RouteHandlerMethod>();
  /**
   * The permits (rights to run) of streams. A permit is released when the response begins, because Nest's handler ends
   * only when the client disconnects.
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

/** Waits for a permit of the account, then runs the handler. @param opening null for a route without a stream */
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

/** Counts the request as activity, so that background work pauses while clients are active. */
function withoutPermit(handler: RouteHandlerMethod, lines: AccountLines): RouteHandlerMethod {
  return function (request, reply) {
    lines.recordActivity();
    return handler.call(this, request, reply);
  };
}
