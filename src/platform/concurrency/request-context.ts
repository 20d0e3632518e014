import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<true>();

/** Runs request work: it takes connections from the pools of requests, wherever the call goes. */
export function runInRequest<Result>(work: () => Result): Result {
  return scope.run(true, work);
}

/** False in background work. */
export function isInRequest(): boolean {
  return scope.getStore() === true;
}
