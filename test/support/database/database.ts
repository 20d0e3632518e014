import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { withSession } from '../../../src/platform/database/session.js';

/** The address of the run's PostgreSQL, as its superuser. */
function testServer(): string {
  const url = process.env.TEST_PG;
  if (!url) throw new Error('TEST_PG is not set: run the tests with "npm test", which starts a PostgreSQL');
  return url;
}

/** An empty database of its own for each test file, so that files may run side by side. */
export function freshDatabase(): Promise<string> {
  return onServer((server) => create(server, nameless()));
}

const SERVING = 'test_serving';

/** The same database as the user of a service, which may read and write rows and nothing else. */
export async function asServingUser(url: string): Promise<string> {
  await onServer((server) =>
    server.query(
      `do $$ begin create role ${SERVING} login password 'test';
       exception when duplicate_object or unique_violation then null; end $$`,
    ),
  );
  return Object.assign(new URL(url), { username: SERVING, password: 'test' }).href;
}

/**
 * Makes a database of its own too, migrated already: a copy. The first file of the run to ask migrates the original.
 * @param kind names the original; databases that are migrated in other ways are of other kinds
 */
export function migratedDatabase(kind: string, migrate: (url: string) => Promise<unknown>): Promise<string> {
  const original = `migrated_${kind}`;
  return onServer(async (server) => {
    await server.query('select pg_advisory_lock(hashtext($1))', [original]); // held until this connection ends
    const { rowCount } = await server.query('select from pg_database where datname = $1', [original]);
    if (rowCount === 0) await makeOriginal(server, original, migrate);
    return create(server, nameless(), original);
  });
}

/** It gets its name when it is complete, so that the next caller repeats a migration that failed. */
async function makeOriginal(server: pg.Client, name: string, migrate: (url: string) => Promise<unknown>) {
  const draft = nameless();
  await migrate(await create(server, draft));
  await server.query(`alter database ${draft} rename to ${name}`);
}

const nameless = () => `test_${randomUUID().replaceAll('-', '')}`;

async function create(server: pg.Client, name: string, original = 'template1'): Promise<string> {
  await server.query(`create database ${name} template ${original}`);
  const url = new URL(testServer());
  url.pathname = `/${name}`;
  return url.href;
}

function onServer<Result>(work: (server: pg.Client) => Promise<Result>): Promise<Result> {
  return withSession(testServer(), work);
}

/** Asks a database by a connection of its own. @returns the rows */
export async function askDatabase<Row extends pg.QueryResultRow = Record<string, unknown>>(
  url: string | null | undefined,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withSession(url ?? '', async (session) => (await session.query<Row>(text, values)).rows);
}
