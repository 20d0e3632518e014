import type { Pool, PoolClient } from 'pg';

/** Whoever holds a connection that is lost has this long to notice and give it back; milliseconds. */
const RECLAIM_DELAY_MS = 1_000;

/**
 * Takes lost connections back from whoever forgot them. Kysely 0.29 never releases a connection whose BEGIN, COMMIT or
 * ROLLBACK failed, so each outage of the database would leave the pool with fewer, and closing it would wait for ever.
 */
export function reclaimLostConnections(pool: Pool): void {
  const checkedOut = new Set<PoolClient>();
  const tracked = new WeakSet<PoolClient>();
  pool.on('release', (_error, client) => checkedOut.delete(client));
  pool.on('acquire', (client) => {
    checkedOut.add(client);
    if (tracked.has(client)) return;
    tracked.add(client);
    client.once('end', () => {
      setTimeout(() => {
        if (checkedOut.has(client)) client.release(true);
      }, RECLAIM_DELAY_MS).unref();
    });
  });
}
