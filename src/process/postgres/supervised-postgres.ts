import { setTimeout as timer } from 'node:timers/promises';
import { errorMessage } from '../startup-error.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';
import { DISK_TROUBLES } from './postgres-server.js';

export type StartPostgres = (options: { port?: number; signal: AbortSignal }) => Promise<EmbeddedPostgres>;

export interface RestartLog {
  readonly error: (sentence: string) => void;
  readonly log: (sentence: string) => void;
}

/** Waits for `ms` milliseconds. Rejects when the signal is aborted. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const NEVER = new Promise<never>(() => undefined);

/**
 * Starts PostgreSQL. If PostgreSQL ends unexpectedly, restarts it on the same port. After too many restarts, `ended`
 * resolves.
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
      const diskTrouble = Object.keys(DISK_TROUBLES).find((trouble) => reason.includes(trouble));
      const pauseMs = policy.nextPauseMs(performance.now(), diskTrouble !== undefined);
      if (pauseMs === null) return `too often to be started again, the last time: ${reason}`;
      const restart = `it is started again in ${pauseMs / 1_000} s`;
      const untilWhen = diskTrouble === undefined ? restart : `${restart}, and so on until it takes writes: mend it`;
      log.error(`PostgreSQL ended unexpectedly: ${reason}; ${untilWhen}`);
      await pause(pauseMs, signal);
      current = start({ port: first.port, signal });
      current.then(
        () => log.log('PostgreSQL runs again'),
        () => undefined, // the loop handles the failure when it awaits `current`
      );
    }
  };
  const stop = async () => {
    stopping.abort();
    const server = await current.catch(() => null);
    await server?.stop();
  };
  const ended = keepRunning().catch(() => NEVER); // `keepRunning` rejects after `stop`, when PostgreSQL ends on purpose
  return { ...first, ended, stop };
}

const WINDOW_MS = 10 * 60_000;
const MAX_RESTARTS = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Allows any number of restarts while the disk takes no writes, so that the service recovers after a repair. */
class RestartPolicy {
  private restarts: number[] = [];
  private restartsWithoutDisk: number[] = [];

  /** Counts a restart. Returns the pause before this restart, or null after too many restarts. */
  nextPauseMs(nowMs: number, isDiskTrouble: boolean): number | null {
    const isCounted = (at: number) => nowMs - at < WINDOW_MS;
    this.restarts = this.restarts.filter(isCounted);
    this.restartsWithoutDisk = this.restartsWithoutDisk.filter(isCounted);
    const counted = isDiskTrouble ? this.restartsWithoutDisk : this.restarts;
    if (!isDiskTrouble && counted.length === MAX_RESTARTS) return null;
    counted.push(nowMs);
    return Math.min(FIRST_PAUSE_MS * 2 ** (counted.length - 1), LONGEST_PAUSE_MS);
  }
}
