import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** The facts about a request, which all code that works for it can read. */
export interface CurrentRequest {
  readonly id: unknown;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const scope = new AsyncLocalStorage<CurrentRequest | null>();

/** Runs work for a request. All its database connections come from the pools for requests. */
export function runInRequest<Result>(work: () => Result, request: CurrentRequest | null = null): Result {
  return scope.run(request, work);
}

/** False in background work. */
export function isInRequest(): boolean {
  return scope.getStore() !== undefined;
}

/** Returns the request that this code works for; null in background work and before a request has its route. */
export function currentRequest(): CurrentRequest | null {
  return scope.getStore() ?? null;
}
