import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { getAccountId, isClosed } from '../request.js';
import type { AccountLines, Permit } from '../../concurrency/account-lines.js';
import { runInRequest } from '../../concurrency/request-context.js';

/**
 * Requests to these routes wait for registries and hold database connections only briefly. Budgets and the limit on
 * requests in flight bound them.
 */
const UNLIMITED_ROUTES = new Set(['/v1/domains/check']);
/** An open stream works only when there are events. An account has at most five. */
const STREAM_ROUTES = new Set(['/v1/events/stream']);

/**
 * Limits concurrent requests per account. Further requests wait in the account's line before they take a database
 * connection. Runs after the body was read, so slow senders block no others. A response that is still being sent, such
 * as an export, keeps its account's slot.
 */
export function limitAccountConcurrency(fastify: FastifyInstance, lines: AccountLines): void {
  const limited = new WeakSet<RouteHandlerMethod>();
  /** Nest's handler of a stream resolves only when the client leaves, so its permit is released earlier. */
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
 * Makes the handler wait for a permit. Public routes have no account, and are limited elsewhere.
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
    if (permit === null) return void reply.hijack(); // the client has left
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

/** Only records the activity, so that background work gives way to these requests too. */
function withoutPermit(handler: RouteHandlerMethod, lines: AccountLines): RouteHandlerMethod {
  return function (request, reply) {
    lines.recordActivity();
    return runInRequest(() => handler.call(this, request, reply), request);
  };
}
