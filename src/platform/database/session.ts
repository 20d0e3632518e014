import type pg from 'pg';
import { PooledClient } from './pooled-client.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Works on one connection outside of the pools, which is closed then. */
export async function withSession<Result>(
  url: string,
  work: (session: pg.Client) => Promise<Result>,
  settings: pg.ClientConfig = {},
): Promise<Result> {
  const session = new PooledClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...settings,
  });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
