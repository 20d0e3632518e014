import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

const RETRY_INTERVAL_MS = 100;

/**
 * Runs the work while this session holds the lock, one session at a time. It polls instead of blocking: a waiting
 * statement holds a snapshot, `create index concurrently` waits for all older snapshots, and if the lock's holder
 * builds the index, both would wait forever.
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
