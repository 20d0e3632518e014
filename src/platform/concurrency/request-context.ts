import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';

/** Describes the HTTP request that the current code works for. */
export interface CurrentRequest {
  readonly id: unknown;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const scope = new AsyncLocalStorage<CurrentRequest>();

/** Call this before other hooks are added, so that the other hooks know the current request. */
export function provideRequestContext(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => runInRequest(request, done));
  // The context is set a second time, because Fastify loses the first context while it reads a body.
  fastify.addHook('preValidation', (request, _reply, done) => runInRequest(request, done));
}

/** The work uses the database pools for requests, and its log lines leave out the request's credentials. */
export function runInRequest<Result>(request: CurrentRequest, work: () => Result): Result {
  return scope.run(request, work);
}

/** False in background work. */
export function isInRequest(): boolean {
  return scope.getStore() !== undefined;
}

/** Returns null in background work. */
export function currentRequest(): CurrentRequest | null {
  return scope.getStore() ?? null;
}
