import type pg from 'pg';
import type { Ask } from '../crypto/data-key.js';
import { PooledClient } from './pooled-client.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Runs work on one connection outside of the pools, and then closes the connection. */
export async function withSession<Result>(
  url: string,
  work: (session: pg.Client) => Promise<Result>,
  settings: pg.ClientConfig = {},
): Promise<Result> {
  const session: pg.Client = new PooledClient({
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

export function askIn(session: pg.Client): Ask {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await session.query(text, [...values])).rows as Row[];
}

/** A pooler in transaction mode shares connections, which breaks named statements, settings and session locks. */
export class PoolerInTransactionMode extends Error {
  constructor() {
    super(
      'a pooler (PgBouncer) in transaction mode answers, and the service needs sessions: name PostgreSQL itself or a ' +
        'pool in session mode',
    );
  }
}

/**
 * Checks whether this session keeps its connection to PostgreSQL while a second session is in a transaction. A pooler in
 * transaction mode gives the connection to the second session.
 * @throws PoolerInTransactionMode
 */
export async function assertOwnSession(session: pg.Client, url: string): Promise<void> {
  const before = await readBackend(session);
  const after = await withSession(url, async (other) => {
    await other.query('begin');
    return readBackend(session);
  });
  if (after !== before) throw new PoolerInTransactionMode();
}

async function readBackend(session: pg.Client): Promise<number | undefined> {
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
