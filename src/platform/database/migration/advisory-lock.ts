import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

const RETRY_INTERVAL_MS = 100;

/**
 * Runs the work while this session holds the lock, one session at a time. The lock is asked for again and again instead
 * of waited for in one statement: a waiting statement has a snapshot, `create index concurrently` waits until no such
 * snapshot is left, and when the lock's holder is the one who makes the index, both would wait for ever.
 */
export async function withAdvisoryLock<Result>(
  session: pg.Client,
  lock: string,
  work: () => Promise<Result>,
): Promise<Result> {
  while (!(await tryLock(session, lock))) await pause(RETRY_INTERVAL_MS);
  try {
    return await work();
  } finally {
    await session.query('select pg_advisory_unlock($1)', [lock]);
  }
}

async function tryLock(session: pg.Client, lock: string): Promise<boolean> {
  const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lock]);
  return rows[0]?.taken === true;
}
