import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** Describes the HTTP request that the current code works for. */
export interface CurrentRequest {
  readonly id: unknown;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const scope = new AsyncLocalStorage<CurrentRequest | null>();

/** Runs work for a request. The work takes its database connections from the pools for requests. */
export function runInRequest<Result>(work: () => Result, request: CurrentRequest | null = null): Result {
  return scope.run(request, work);
}

/** False in background work. */
export function isInRequest(): boolean {
  return scope.getStore() !== undefined;
}

/** Returns null in background work and before the request's route is known. */
export function currentRequest(): CurrentRequest | null {
  return scope.getStore() ?? null;
}
