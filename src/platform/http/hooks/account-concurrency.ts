import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { FairSemaphore } from '../../concurrency/fair-semaphore.js';
import { runInRequest } from '../../concurrency/request-context.js';

/**
 * Answered from memory, or while a registry is waited for: they take a connection for moments only, and are bounded by
 * budgets and by the requests that an account may have under way.
 */
const UNLIMITED_ROUTES = new Set(['/v1/domains/check']);
/** Once it is open it works only when something happened; five of an account are open at most. */
const STREAM_ROUTES = new Set(['/v1/events/stream']);

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/**
 * Lets a few requests of an account work at a time, and the rest wait for a moment, before anything of them has a
 * connection to the database. Bodies were read before: who sends slowly holds up nobody. An answer that is still being
 * taken, an export for instance, keeps its account's place, and nobody else waits for it.
 */
export function limitAccountConcurrency(fastify: FastifyInstance, semaphore: FairSemaphore): void {
  const limited = new WeakSet<RouteHandlerMethod>();
  fastify.addHook('onRoute', (route) => {
    const { handler, url } = route;
    if (limited.has(handler)) return; // HEAD takes that of GET
    route.handler = UNLIMITED_ROUTES.has(url)
      ? withRequestContext(handler)
      : withPermit(handler, semaphore, STREAM_ROUTES.has(url));
    limited.add(route.handler);
  });
}

/** Public routes have no account, and are bounded otherwise. */
function withPermit(handler: RouteHandlerMethod, semaphore: FairSemaphore, isStream: boolean): RouteHandlerMethod {
  return async function (request: Sender, reply) {
    const account = request.caller?.account.id;
    if (account === undefined) return runInRequest(() => handler.call(this, request, reply));
    const acquiring = semaphore.acquire(account);
    const permit = acquiring instanceof Promise ? await acquiring : acquiring;
    try {
      if (!isClosed(reply)) return await runInRequest(() => handler.call(this, request, reply));
      void reply.hijack(); // its caller left while it waited: nothing is done
      return undefined;
    } finally {
      permit.finishWork();
      if (isStream || isClosed(reply)) permit.release();
      else reply.raw.once('close', () => permit.release());
    }
  };
}

function withRequestContext(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function (request, reply) {
    return runInRequest(() => handler.call(this, request, reply));
  };
}

function isClosed({ raw }: FastifyReply): boolean {
  return raw.closed || raw.destroyed;
}
