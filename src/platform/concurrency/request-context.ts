import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** The facts about a request, available wherever its work is done. */
export interface CurrentRequest {
  readonly id: unknown;
  readonly ip: string;
  readonly headers: IncomingHttpHeaders;
}

const scope = new AsyncLocalStorage<CurrentRequest | null>();

/** Runs request work: it takes connections from the pools of requests, wherever the call goes. */
export function runInRequest<Result>(work: () => Result, request: CurrentRequest | null = null): Result {
  return scope.run(request, work);
}

/** False in background work. */
export function isInRequest(): boolean {
  return scope.getStore() !== undefined;
}

/** The request that this work is part of; null in background work, and before a request has reached its route. */
export function currentRequest(): CurrentRequest | null {
  return scope.getStore() ?? null;
}
