/** Closes everything that a process has opened, in the opposite order, whatever fails on the way. */
export class ShutdownStack {
  private readonly steps: (() => unknown)[] = [];

  push(closeAll: () => unknown): void {
    this.steps.push(closeAll);
  }

  /** @throws the failures together, after every step has had its turn. */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, 'several things could not be closed');
  }
}

/**
 * Some signals arrive twice: a Ctrl-C from the terminal and from npm, which forwards it; a stop by systemd in every
 * process of the unit and from our launcher. Within so many milliseconds they count as one.
 */
const DUPLICATE_SIGNAL_MS = 400;

/** Why a process stops: `SIGTERM` of a supervisor, or `SIGINT` of a person at a terminal. */
export class Stopped extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/**
 * Aborts, with {@link Stopped}, at the first SIGTERM or SIGINT. A second one means not to wait for the drain: the
 * process ends at once, and PostgreSQL after it.
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

/** A start that is stopped may end by itself for so long, so that it is closed in order. */
const STOPPED_START_MS = 2_000;

/**
 * Waits for a step of the start, but not long once the process is to stop: the step may wait for others.
 * @throws the reason of `stop` then
 */
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
