import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { type Config, readConfig } from '../../../src/config/config.js';
import { migrate } from '../../../src/app/migrate.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { QUEUES } from '../../../src/platform/queue/store-queue.js';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { runAsProcess, runInProcess } from '../../support/programs/command-line.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(120_000); // whole processes start, also on a busy machine

const opened: { close: () => Promise<void> }[] = [];

/** The embedded database of a data directory, as the service gets it: started and migrated. */
async function databaseOf(folder: string): Promise<Config> {
  const database = await openDatabase(
    readConfig({ DATA_DIR: folder, PORT: '0', RDAP_BOOTSTRAP_URL: 'off', LOG_LEVEL: 'silent' }),
  );
  opened.push(database);
  await migrate(database.config);
  return database.config;
}

async function closeAll(): Promise<void> {
  for (const { close } of opened.splice(0)) await close();
}

async function ask(url: string | null, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url ?? '');
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

afterEach(closeAll);
afterAll(removeFolders);

const DENIED = /permission denied|must be owner/;
/** One cluster for all tests but the last, made by the first. */
const folder = openFolder();

describe('the database user of the service', () => {
  it('is no superuser and reads no files of the server', async () => {
    const { databaseUrl } = await databaseOf(folder);
    const me = 'select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user';
    expect(await ask(databaseUrl, me)).toEqual([
      { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false },
    ]);
    await expect(ask(databaseUrl, `select pg_read_file('postgresql.conf')`)).rejects.toThrow(DENIED);
  });

  it('reads and writes rows, and changes no table', async () => {
    const { databaseUrl } = await databaseOf(folder);
    await ask(databaseUrl, `insert into rate_limit_windows values ('a', 1, now())`);
    expect(await ask(databaseUrl, `delete from rate_limit_windows where key = 'a' returning used`)).toEqual([
      { used: 1 },
    ]);
    for (const change of ['create table own (id integer)', 'drop table events', 'alter table events add own text'])
      await expect(ask(databaseUrl, change)).rejects.toThrow(DENIED);
    for (const change of ['truncate events', 'create schema own', 'set role namewatch_owner', 'set role postgres'])
      await expect(ask(databaseUrl, change)).rejects.toThrow(DENIED);
  });

  it('rings for the first job of each queue', async () => {
    const { databaseUrl } = await databaseOf(folder);
    const job = JSON.stringify([{ id: 'first', name: 'checks', data: {}, opts: { jobId: 'first' }, timestamp: 0 }]);
    for (const queue of QUEUES) {
      const ring = `set search_path to bullmq; select add_jobs_bulk('${queue}', '${job}')`;
      await ask(databaseUrl, ring);
    }
    expect(await ask(databaseUrl, 'select count(*)::int as jobs from bullmq.job')).toEqual([{ jobs: QUEUES.length }]);
  });

  it('may use tables of later migrations at once', async () => {
    const { databaseUrl, migrationDatabaseUrl } = await databaseOf(folder);
    await ask(migrationDatabaseUrl, 'create table later (id bigint generated always as identity)');
    await ask(databaseUrl, 'insert into later default values');
    await ask(migrationDatabaseUrl, 'drop table later');
  });
});

describe('the superuser of the embedded database', () => {
  it('cannot be reached with a password of the data directory', async () => {
    const { databaseUrl, migrationDatabaseUrl } = await databaseOf(folder);
    for (const password of [databaseUrl, migrationDatabaseUrl].map((url) => new URL(url ?? '').password)) {
      const url = Object.assign(new URL(databaseUrl ?? ''), { username: 'postgres', password });
      await expect(ask(url.href, 'select 1')).rejects.toThrow('password authentication failed');
    }
    const owner = 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user';
    expect(await ask(migrationDatabaseUrl, owner)).toEqual([{ rolsuper: false, rolcreaterole: false }]);
  });

  it('sets new passwords when those of the data directory are gone', async () => {
    await databaseOf(folder);
    await closeAll();
    rmSync(join(folder, 'pg-owner-password'));
    rmSync(join(folder, 'pg-password'));
    expect(await ask((await databaseOf(folder)).databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a data directory from before 1.0', () => {
  it('is refused in one sentence, and stays as it is', async () => {
    const folder = openFolder();
    const directory = DataDirectory.open(folder);
    const { cluster } = directory;
    const earlier = await startEmbeddedPostgres({ cluster, password: directory.databasePassword(), fast: true });
    await earlier.stop();
    directory.ownerPassword();
    const before = digestOf(cluster);

    const env = { DATA_DIR: folder, PORT: '0', PATH: process.env.PATH ?? '' };
    const sentence =
      /^DATA_DIR: the database was made by a version before 1\.0: .*"namewatch export .*"namewatch import .*$/;
    for (const refused of [await runAsProcess(['up'], env), await runInProcess(['migrate'], env)]) {
      expect(refused.err).toMatch(sentence);
      expect(refused.code).toBe(78);
    }
    expect((await runInProcess(['doctor'], env)).out).toContain('the database was made by a version before 1.0');
    expect(digestOf(cluster)).toBe(before);
  });
});

/** Changes with the name and content of any file. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(folder, path);
    hash.update(`${path}\0`).update(statSync(file).isFile() ? readFileSync(file) : '');
  }
  return hash.digest('hex');
}
