/**
 * Some signals arrive twice: a Ctrl-C from the terminal and from npm, which forwards it; a stop by systemd in every
 * process of the unit and from our launcher. Within so many milliseconds they count as one.
 */
const DUPLICATE_SIGNAL_MS = 400;

/**
 * Aborts at the first SIGTERM or SIGINT. A second one means not to wait for the drain: the
 * process ends at once, and PostgreSQL after it.
 */
export function createStopSignal(): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  const received = () => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      first = now;
      stop.abort();
    } else if (now - first > DUPLICATE_SIGNAL_MS) process.exit(1);
  };
  process.on('SIGTERM', received).on('SIGINT', received);
  return stop.signal;
}
