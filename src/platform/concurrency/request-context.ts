import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<true>();

/** Runs what a request asks for: it takes connections from the pools of requests, whatever it calls. */
export function runInRequest<Result>(work: () => Result): Result {
  return scope.run(true, work);
}

/** Whether a request is being served, and no job or tick. */
export function isInRequest(): boolean {
  return scope.getStore() === true;
}
