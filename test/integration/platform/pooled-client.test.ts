import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { isDatabaseUnavailable } from '../../../src/platform/database/database-unavailable.js';
import { explainDatabaseError } from '../../../src/platform/database/explain-database-error.js';
import { PooledClient } from '../../../src/platform/database/pooled-client.js';
import { freshDatabase } from '../../support/database/database.js';
import { TcpProxy } from '../../world/proxy.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';

let connectionString: string;
beforeAll(async () => {
  connectionString = await freshDatabase();
});

const pools: pg.Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});

function open(Client: typeof pg.Client, settings: object = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, Client, ...settings });
  pools.push(pool);
  return pool;
}
const TYPESCRIPT = join(import.meta.dirname, '../../../tools/scripts/typescript.mjs');
const OLD_HEAP_GROWTH = join(import.meta.dirname, '../../support/programs/old-heap-growth.mjs');
const LIMITED = { query_timeout: 60_000 };
describe('a pooled database connection', () => {
  it.each([LIMITED, { ...LIMITED, pipeline: true }])(
    'keeps no finished statements in memory, with the settings %j',
    async (settings) => {
      expect(await oldMegabytesAfterStatements('pooled', settings, 'pool')).toBeLessThan(3);
      expect(await oldMegabytesAfterStatements('pooled', settings, 'connection')).toBeLessThan(3);
    },
  );

  // Should this fail with a new version of the driver or of Node, the class may have become unnecessary.
  it('is needed because the plain driver keeps finished statements in memory', async () => {
    expect(await oldMegabytesAfterStatements('driver', LIMITED, 'connection')).toBeGreaterThan(6);
  });

  it('does not crash the process if PostgreSQL ends it while idle, even without an error listener', async () => {
    const [lost, other] = [open(PooledClient), open(PooledClient)];
    const client = await lost.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('select 1')).rejects.toThrow();
    client.release(true);
  });

  it('runs statements in every form that the driver accepts', async () => {
    const client = await open(PooledClient, LIMITED).connect();
    const named = { name: 'sum', text: 'select $1::int + 1 as sum', values: [1] };
    const rows = [{ sum: 2 }];
    expect(await client.query(named)).toMatchObject({ rows });
    expect(await client.query(named)).toMatchObject({ rows });
    expect(await client.query('select $1::int + 1 as sum', [1])).toMatchObject({ rows });
    expect(await answerOf((answer) => client.query('select 2 as sum', answer))).toMatchObject({ rows });
    expect(await answerOf((answer) => client.query('select $1::int as sum', [2], answer))).toMatchObject({ rows });
    const configured = await answerOf((callback) => {
      void client.query({ text: 'select 2 as sum', callback } as pg.QueryConfig);
    });
    expect(configured).toMatchObject({ rows });
    const sent = client.query(new pg.Query('select 2 as sum'));
    expect(await once(sent as unknown as NodeJS.EventEmitter, 'row')).toMatchObject([{ sum: 2 }, {}]);
    expect(named).toEqual({ name: 'sum', text: 'select $1::int + 1 as sum', values: [1] });
    client.release();
  });

  it('rejects a statement with a syntax error, shows the caller’s stack, and stays usable', async () => {
    const client = await open(PooledClient, LIMITED).connect();
    const failure = await sendFaultyStatement(client).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '42601', stack: expect.stringContaining('sendFaultyStatement') });
    expect(await client.query('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
    client.release();
  });

  it.each([{ query_timeout: 20 }, { query_timeout: 20, pipeline: true }])(
    'is closed and replaced if a statement takes too long, with the settings %j',
    async (settings) => {
      const pool = open(PooledClient, settings);
      const client = await pool.connect();
      client.on('error', () => undefined);
      const statements = [client.query('select pg_sleep(5)'), client.query('select 1')];
      const next = pool.query({ text: 'select pg_sleep(0.1)', query_timeout: 5_000 } as pg.QueryConfig);
      const outcomes = await Promise.allSettled(statements);
      client.release(); // without a word about the failure, as Kysely does
      expect(outcomes[0]).toMatchObject({ reason: { message: 'Query read timeout' } });
      expect(outcomes[1]).toMatchObject({ status: 'rejected' });
      expect(await next).toMatchObject({ rowCount: 1 });
      expect(pool.totalCount).toBe(1);
    },
  );

  it.each([0, false, undefined])('sets no time limit for statements with query_timeout %s', async (query_timeout) => {
    const pool = open(PooledClient, { query_timeout });
    expect(await pool.query('select pg_sleep(0.02)')).toMatchObject({ rowCount: 1 });
  });
});

describe('a failing database connection', () => {
  let failing: TcpProxy;
  let url: string;
  beforeAll(async () => {
    failing = await TcpProxy.start(connectionString);
    url = failing.through(connectionString);
  });
  afterEach(() => failing.heal());
  afterAll(() => failing.close());
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      (): unknown => null,
      (error: unknown) => error,
    );
  const explained = (error: unknown) => explainDatabaseError(error, url);

  it('gives an error that names DATABASE_URL if it fails before it is established', async () => {
    const pool = open(PooledClient, { connectionString: url, connectionTimeoutMillis: 200 });
    const { port } = failing;
    failing.fail('silent');
    const late = await failureOf(pool.query('select 1'));
    expect(explained(late)).toBe(`DATABASE_URL: 127.0.0.1:${port} does not answer in time`);
    failing.fail('reset');
    const ended = await failureOf(pool.query('select 1'));
    expect(explained(ended)).toBe(`DATABASE_URL: 127.0.0.1:${port} ended the connection: is it PostgreSQL?`);
  });

  it.each<[string, (pool: pg.Pool) => unknown]>([
    ['is cut', () => failing.cut()],
    ['is ended by PostgreSQL', (pool) => pool.query(END_SLEEPERS)],
  ])('counts as an outage, not as a wrong setting, when it %s', async (_, end) => {
    const pool = open(PooledClient, { connectionString: url, max: 2 });
    const client = await pool.connect();
    const asked = failureOf(client.query('select pg_sleep(60)'));
    await end(pool);
    const lost = await asked;
    client.release(true);
    expect([explained(lost), isDatabaseUnavailable(lost)]).toEqual([null, true]);
  });
});

const END_SLEEPERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and query like 'select pg_sleep(60)%'`;

async function sendFaultyStatement(client: pg.PoolClient): Promise<unknown> {
  return await client.query('selct 1');
}

const answerOf = (send: (answer: (error: Error, result: unknown) => void) => void) =>
  new Promise((resolve, reject) => send((error, result) => (error ? reject(error) : resolve(result))));

async function oldMegabytesAfterStatements(client: string, settings: object, target: string): Promise<number> {
  // The flags keep the heap's own collections of the old generation out of so short a run.
  const flags = ['--expose-gc', '--initial-heap-size=512', '--no-warnings'];
  const program = [...flags, '--import', TYPESCRIPT, OLD_HEAP_GROWTH, client, JSON.stringify(settings), target];
  const env = { ...ownEnvironment(), DATABASE_URL: connectionString };
  const { stdout } = await promisify(execFile)(process.execPath, program, { env });
  return Number(stdout);
}
