import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The address of the run's PostgreSQL, as its superuser. */
export function testServer(): string {
  const url = process.env.TEST_PG;
  if (!url) throw new Error('TEST_PG is not set: run the tests with "npm test", which starts a PostgreSQL');
  return url;
}

/** An empty database of its own for each test file, so that files may run side by side. */
export async function freshDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = new pg.Client(testServer());
  await server.connect();
  try {
    await server.query(`create database ${server.escapeIdentifier(name)}`);
  } finally {
    await server.end();
  }
  const url = new URL(testServer());
  url.pathname = `/${name}`;
  return url.href;
}
