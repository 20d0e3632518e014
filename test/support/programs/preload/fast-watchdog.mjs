/**
 * Loaded into a process of the service by `node --import`: its watchdog checks a hundred times as often, so that a test
 * need not wait for minutes. The number of failed checks that it takes stays as it is.
 */
const TEN_SECONDS = 10_000;
const { setInterval } = globalThis;

globalThis.setInterval = (tick, every, ...rest) => setInterval(tick, every === TEN_SECONDS ? 100 : every, ...rest);
