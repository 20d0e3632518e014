import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isLockConflict } from '../database-unavailable.js';

const POLL_INTERVAL_MS = 100;

export async function withAdvisoryLock<Result>(
  session: pg.Client,
  lock: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await takeAdvisoryLock(session, lock, 'exclusive');
  try {
    return await work();
  } finally {
    await session.query('select pg_advisory_unlock($1)', [lock]);
  }
}

/**
 * Polls for the lock, because a waiting statement would hold a snapshot. The lock's holder may run `create index
 * concurrently`, which would wait for that snapshot forever.
 * @returns false if the lock was not free in time
 */
export async function takeAdvisoryLock(
  session: pg.Client,
  lock: string,
  mode: 'exclusive' | 'shared',
  timeoutMs = Infinity,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  const take = `select pg_try_advisory_lock${mode === 'shared' ? '_shared' : ''}($1) as taken`;
  for (;;) {
    const { rows } = await session.query<{ taken: boolean }>(take, [lock]);
    if (rows[0]?.taken === true) return true;
    if (performance.now() >= deadline) return false;
    await pause(POLL_INTERVAL_MS);
  }
}

export interface LockRetryOptions {
  /** How long one attempt waits for a table's lock. Requests to the table wait behind the attempt. */
  readonly lockTimeoutMs?: number;
  readonly retryTimeoutMs?: number;
  readonly onBlocked?: (sentence: string) => void;
}

const LOCK_TIMEOUT_MS = 2_000;
export const RETRY_TIMEOUT_MS = 600_000;
const RETRY_INTERVAL_MS = 1_000;

/** Another session keeps holding a lock that a migration needs. */
class MigrationBlocked extends Error {
  constructor(subject: string, cause: unknown) {
    const remedy = 'end the transaction that holds it (pg_stat_activity shows the oldest), then start again';
    super(`${subject} could not be changed: another session holds a lock on it; ${remedy}`, { cause });
  }
}

/**
 * Repeats the attempt while another session holds a lock. Requests that queue behind an attempt proceed before the next
 * attempt.
 * @throws MigrationBlocked if the lock is still held after `retryTimeoutMs`
 */
export async function retryWhileLocked(
  subject: string,
  options: LockRetryOptions,
  attempt: (lockTimeoutMs: number) => Promise<void>,
): Promise<void> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, retryTimeoutMs = RETRY_TIMEOUT_MS, onBlocked } = options;
  const deadline = performance.now() + retryTimeoutMs;
  for (;;) {
    try {
      return await attempt(lockTimeoutMs);
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (performance.now() > deadline) throw new MigrationBlocked(subject, error);
      onBlocked?.(`${subject} is locked by another session, trying again: ${(error as Error).message}`);
      await pause(Math.min(RETRY_INTERVAL_MS, lockTimeoutMs));
    }
  }
}
