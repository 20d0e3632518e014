import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { type StartPostgres, startSupervised } from '../../../src/process/postgres/supervised-postgres.js';

const MINUTE = 60_000;

/** A PostgreSQL without processes: each start is noted with its time, and ends when the test says so. */
class Starts {
  readonly times: number[] = [];
  readonly ports: (number | undefined)[] = [];
  /** Why it does not start. */
  broken: string | null = null;
  stops = 0;
  private end: (reason: string) => void = () => undefined;

  readonly start: StartPostgres = ({ port }) => {
    this.times.push(performance.now());
    this.ports.push(port);
    if (this.broken !== null) return Promise.reject(new Error(this.broken));
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.end = resolve;
    const stop = () => Promise.resolve(void (this.stops += 1));
    const server: EmbeddedPostgres = { port: 4711, url: 'postgres://', migrationUrl: 'postgres://', ended, stop };
    return Promise.resolve(server);
  };

  /** The running one is killed, or ends for another reason; then so much time passes. */
  async kill(waitMs: number, reason = 'it was killed by SIGKILL'): Promise<void> {
    this.end(reason);
    await jest.advanceTimersByTimeAsync(waitMs);
  }

  get pausesInSeconds(): number[] {
    return this.times.slice(1).map((at, index) => Math.round((at - (this.times[index] ?? 0)) / 1_000));
  }
}

let starts: Starts;
const said: string[] = [];
beforeEach(() => {
  jest.useFakeTimers();
  starts = new Starts();
});
afterEach(() => {
  jest.useRealTimers();
  said.length = 0;
});

/** As timers/promises has it, which fake timers do not reach. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
const say = (sentence: string) => void said.push(sentence);
const supervise = () => startSupervised(starts.start, { error: say, log: say }, pause);
/** The result of the promise by now, or null. */
const outcome = (promise: Promise<string>) => Promise.race([promise, Promise.resolve(null)]);

describe('the embedded PostgreSQL under supervision', () => {
  it('is restarted after a second on the same port if it is killed', async () => {
    await supervise();
    await starts.kill(1_000);
    expect(starts.pausesInSeconds).toEqual([1]);
    expect(starts.ports).toEqual([undefined, 4711]);
    expect(said).toEqual([
      'PostgreSQL ended unexpectedly: it was killed by SIGKILL; it is started again in 1 s',
      'PostgreSQL runs again',
    ]);
  });

  it('is restarted five times with doubling pauses, and given up at its sixth crash', async () => {
    const { ended } = await supervise();
    for (const seconds of [1, 2, 4, 8, 16]) await starts.kill(seconds * 1_000);
    expect(starts.pausesInSeconds).toEqual([1, 2, 4, 8, 16]);
    expect(await outcome(ended)).toBeNull();
    await starts.kill(MINUTE);
    expect(await ended).toBe('too often to be started again, the last time: it was killed by SIGKILL');
    expect(starts.times).toHaveLength(6);
  });

  it('is given up after five restarts that fail', async () => {
    const { ended } = await supervise();
    starts.broken = 'it did not start';
    await starts.kill(31_000);
    expect(starts.pausesInSeconds).toEqual([1, 2, 4, 8, 16]);
    expect(await ended).toBe('too often to be started again, the last time: it did not start');
  });

  it('is restarted once more if its five earlier crashes are ten minutes ago', async () => {
    await supervise();
    for (const seconds of [1, 2, 4, 8, 16]) await starts.kill(seconds * 1_000);
    await jest.advanceTimersByTimeAsync(10 * MINUTE);
    await starts.kill(1_000);
    expect(starts.times).toHaveLength(7);
  });

  it('is restarted at least every 30 seconds, and never given up, while its disk is full', async () => {
    const { ended } = await supervise();
    starts.broken = 'PostgreSQL did not start: its disk is full: FATAL:  could not write';
    await starts.kill(30 * MINUTE, 'its disk is full: PANIC:  could not write');
    expect(starts.pausesInSeconds.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(Math.max(...starts.pausesInSeconds)).toBe(30);
    expect(said[0]).toBe(
      'PostgreSQL ended unexpectedly: its disk is full: PANIC:  could not write; ' +
        'it is started again in 1 s, and so on until it takes writes: mend it',
    );
    starts.broken = null;
    await jest.advanceTimersByTimeAsync(30_000);
    expect(said.at(-1)).toBe('PostgreSQL runs again');
    expect(await outcome(ended)).toBeNull();
    await starts.kill(1_000);
    expect(said.at(-1)).toBe('PostgreSQL runs again');
  });

  it('is not restarted if it is stopped during the pause before a restart', async () => {
    const { stop, ended } = await supervise();
    await starts.kill(500);
    await stop();
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(starts.times).toHaveLength(1);
    expect(await outcome(ended)).toBeNull();
    expect(said).toHaveLength(1);
  });
});
