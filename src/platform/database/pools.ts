import { Pool, type PoolClient } from 'pg';
import { isInRequest } from '../concurrency/request-context.js';
import { noteConnection } from './open-transaction.js';

export class OrmPools {
  private pools: { readonly requests: Pool; readonly background: Pool } | null = null;

  /** Gives background work its own pool, so that many requests cannot use up its connections. */
  readonly separate = (requests: Pool): void => {
    const background = new Pool(requests.options);
    // Without a listener, the error of a lost connection would end the process. The pool replaces the connection.
    background.on('error', () => undefined);
    const [connect, end] = [requests.connect.bind(requests), requests.end.bind(requests)];
    requests.connect = (async () => {
      const client = await (isInRequest() ? connect() : background.connect());
      noteConnection(client);
      return client;
    }) as Pool['connect'];
    requests.end = async () => void (await Promise.all([end(), background.end()]));
    for (const pool of [requests, background]) reclaimLostConnections(pool);
    this.pools = { requests, background };
  };

  /** Returns an empty list before the ORM is connected. */
  usage(): readonly PoolUsage[] {
    if (!this.pools) return [];
    const { requests, background } = this.pools;
    return [usageOf('orm_requests', requests), usageOf('orm_background', background)];
  }
}

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export function usageOf(pool: string, { totalCount, idleCount: idle, waitingCount: waiting }: Pool): PoolUsage {
  return { pool, used: totalCount - idle, idle, waiting };
}

/** Time for the code that holds a lost connection to release it. */
const RECLAIM_DELAY_MS = 1_000;

/**
 * Kysely 0.29 never releases a connection whose BEGIN, COMMIT or ROLLBACK failed, so each outage would shrink the pool.
 */
function reclaimLostConnections(pool: Pool): void {
  const checkedOut = new Set<PoolClient>();
  const tracked = new WeakSet<PoolClient>();
  pool.on('release', (_error, client) => checkedOut.delete(client));
  pool.on('acquire', (client) => {
    checkedOut.add(client);
    if (tracked.has(client)) return;
    tracked.add(client);
    client.once('end', () => {
      if (!checkedOut.has(client)) return; // the usual case: the connection was idle
      // The timer is not unref'd: a process that closes waits until this connection is released.
      setTimeout(() => {
        if (checkedOut.has(client)) client.release(true);
      }, RECLAIM_DELAY_MS);
    });
  });
}
