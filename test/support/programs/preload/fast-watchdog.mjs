/**
 * Loaded into a process of the service by `node --import`: its watchdog looks a hundred times as often, so that a test
 * need not wait for minutes. How often it has to look in vain stays as it is.
 */
const TEN_SECONDS = 10_000;
const { setInterval } = globalThis;

globalThis.setInterval = (tick, every, ...rest) => setInterval(tick, every === TEN_SECONDS ? 100 : every, ...rest);
