import { setTimeout as timer } from 'node:timers/promises';
import { errorMessage } from '../startup-error.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';
import { DISK_IS_FULL } from './postgres-server.js';
import { RestartPolicy } from './restart-policy.js';

/** Starts PostgreSQL, on this port if there is one. */
export type StartPostgres = (options: { port?: number; signal: AbortSignal }) => Promise<EmbeddedPostgres>;

/** Gets sentences for the log. */
export interface RestartLog {
  readonly error: (sentence: string) => void;
  readonly log: (sentence: string) => void;
}

/** Rejects once the signal is aborted. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const NEVER = new Promise<never>(() => undefined);

/**
 * Starts PostgreSQL, and again whenever it ends without being asked, on the same port: those who are connected to it
 * meet an outage and go on by themselves. `ended` resolves when it ended too often.
 */
export async function startSupervised(
  start: StartPostgres,
  log: RestartLog,
  pause: Pause = (ms, signal) => timer(ms, undefined, { signal }),
): Promise<EmbeddedPostgres> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await start({ signal });
  let current = Promise.resolve(first);

  const keepRunning = async (): Promise<string> => {
    const policy = new RestartPolicy();
    for (;;) {
      const reason = await current.then(({ ended }) => ended, errorMessage);
      signal.throwIfAborted();
      const isDiskFull = reason.includes(DISK_IS_FULL);
      const pauseMs = policy.nextPauseMs(performance.now(), isDiskFull);
      if (pauseMs === null) return `too often to be started again, the last time: ${reason}`;
      const restart = `it is started again in ${pauseMs / 1_000} s`;
      const untilWhen = isDiskFull ? `${restart}, and so on until there is space: make some` : restart;
      log.error(`PostgreSQL ended unexpectedly: ${reason}; ${untilWhen}`);
      await pause(pauseMs, signal);
      current = start({ port: first.port, signal });
      current.then(
        () => log.log('PostgreSQL runs again'),
        () => undefined, // counted above
      );
    }
  };
  const stop = async () => {
    stopping.abort();
    const server = await current.catch(() => null);
    await server?.stop();
  };
  const ended = keepRunning().catch(() => NEVER); // it was stopped
  return { ...first, ended, stop };
}
