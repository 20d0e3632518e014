import type { Pool, PoolClient } from 'pg';

/** Time for the code that holds a lost connection to release it. */
const RECLAIM_DELAY_MS = 1_000;

/**
 * Releases lost connections that their users forgot: Kysely 0.29 never releases a connection whose BEGIN, COMMIT or
 * ROLLBACK failed, so each database outage would shrink the pool, and closing it would wait forever.
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
      // It keeps the process alive: one that is closing waits for this, perhaps for nothing else.
      setTimeout(() => {
        if (checkedOut.has(client)) client.release(true);
      }, RECLAIM_DELAY_MS);
    });
  });
}
