/** Two signals within this time count as one. For instance, npm forwards a Ctrl-C that the terminal also sends. */
const DUPLICATE_SIGNAL_MS = 400;

/** The reason why a process stops: `SIGTERM` from a supervisor, or `SIGINT` from a person at a terminal. */
export class Stopped extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/**
 * The returned signal aborts with {@link Stopped} at the first SIGTERM or SIGINT. The second ends the process at once.
 */
export function createStopSignal(): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  const received = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      first = now;
      stop.abort(new Stopped(signal));
    } else if (now - first > DUPLICATE_SIGNAL_MS) process.exit(1);
  };
  process.on('SIGTERM', received).on('SIGINT', received);
  return stop.signal;
}

/** After a stop, a start in progress gets this time to close its connections and files. */
const STOPPED_START_MS = 2_000;

/** After a stop, waits at most two more seconds for the work, which may hang. @throws the reason of `stop` */
export async function startUnlessStopped<Result>(work: Promise<Result>, stop: AbortSignal): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const giveUp = () => {
    timer = setTimeout(() => stopped.reject(stop.reason as Error), STOPPED_START_MS);
  };
  if (stop.aborted) giveUp();
  stop.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    stop.removeEventListener('abort', giveUp);
    clearTimeout(timer);
  }
}
