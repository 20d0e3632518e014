import type { Failure } from './call.js';

/** Refusals that end by waiting: limits of the account, and a service that is busy or starting. */
const PASSING: Readonly<Record<string, string>> = {
  rate_limited: 'Your account has made all requests that it may make in a minute',
  too_many_concurrent_requests: 'Your account asks for too much at once, perhaps in another tab or program',
  idempotency_in_flight: 'The same request is still at work',
  overloaded: 'The service is busy',
  not_ready: 'The service is starting or stopping',
  database_unavailable: 'The service waits for its database',
};
const DEFAULT_SECONDS = 2;

export interface Pause {
  readonly reason: string;
  readonly ms: number;
}

/** Returns how long to wait before the same request may succeed. Returns null if waiting does not help. */
export function findPause({ code, problem }: Failure): Pause | null {
  const reason = code === null ? undefined : PASSING[code];
  if (reason === undefined) return null;
  return { reason, ms: (problem?.retry_after_seconds ?? DEFAULT_SECONDS) * 1_000 };
}

/** Waits. Ends early, without an error, when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
