import type { Pool, PoolClient } from 'pg';

/** Whoever holds a connection that is lost has this long to notice and give it back; milliseconds. */
const NOTICE = 1_000;

/**
 * Takes lost connections back from whoever forgot them. Kysely 0.29 never releases a connection whose BEGIN, COMMIT or
 * ROLLBACK failed, so each outage of the database would leave the pool with fewer, and closing it would wait for ever.
 */
export function reclaimLostConnections(pool: Pool): void {
  const held = new Set<PoolClient>();
  const known = new WeakSet<PoolClient>();
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('acquire', (client) => {
    held.add(client);
    if (known.has(client)) return;
    known.add(client);
    client.once('end', () => {
      setTimeout(() => {
        if (held.has(client)) client.release(true);
      }, NOTICE).unref();
    });
  });
}
