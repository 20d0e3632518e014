import type { Pool } from 'pg';

/** Connections that are in use and idle, and calls that wait for one. */
export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export function usageOf(pool: string, { totalCount, idleCount: idle, waitingCount: waiting }: Pool): PoolUsage {
  return { pool, used: totalCount - idle, idle, waiting };
}
