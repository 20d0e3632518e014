/** Under npm, Ctrl-C comes from the terminal and once more from npm, which passes on what it got itself. */
const SAME_KEY_PRESS = 400;

/**
 * Aborts at the first SIGTERM or SIGINT. A second one means that whoever stops us will not wait for the drain: the
 * process ends at once, and PostgreSQL after it.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  const received = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      first = now;
      stop.abort();
    } else if (signal !== 'SIGINT' || now - first > SAME_KEY_PRESS) process.exit(1);
  };
  process.on('SIGTERM', received).on('SIGINT', received);
  return stop.signal;
}
