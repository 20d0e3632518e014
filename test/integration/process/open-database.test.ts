import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { migrate } from '../../../src/app/migrate.js';
import { readConfig } from '../../../src/config/config.js';
import { QUEUES } from '../../../src/platform/queue/store-queue.js';
import { DataDirectory } from '../../../src/process/data-directory.js';
import { type OpenDatabase, openDatabase } from '../../../src/process/open-database.js';
import { startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { askDatabase } from '../../support/database/database.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

/** One cluster for all tests, made by the first. */
const folder = openFolder();
const settings = { DATA_DIR: folder };

const answers = (url: string) =>
  askDatabase(url, 'select 1').then(
    () => true,
    () => false,
  );

afterEach(() => AnotherProcess.endAll());
afterAll(removeFolders);

describe('the database of an administration command', () => {
  it('is started for the command and stopped after it', async () => {
    const { url, config, close } = await openDatabase(readConfig(settings));
    expect(config).toMatchObject({ databaseUrl: url, masterKeys: [DataDirectory.open(folder).masterKey()] });
    expect(await answers(url)).toBe(true);
    await close();
    expect(await answers(url)).toBe(false);
    expect(existsSync(join(folder, 'pid'))).toBe(false);
  });

  it('is the running service’s database if there is one, and stays open after the command', async () => {
    const service = await AnotherProcess.holding(folder, 'service', 'database');
    const { url, close } = await openDatabase(readConfig(settings));
    expect(url).toBe(service.databaseUrl);
    await close();
    expect(await answers(url)).toBe(true);
  });

  it('is opened only after another command has closed it', async () => {
    const command = await AnotherProcess.holding(folder, 'command', 'database');
    const waiting = openDatabase(readConfig(settings));
    await command.letGo();
    const { url, close } = await waiting;
    expect(await answers(url)).toBe(true);
    await close();
  });

  it('is the one in DATABASE_URL if that is set, and nothing is started or written', async () => {
    const DATA_DIR = join(folder, 'unused');
    const DATABASE_URL = 'postgres://user@db.example/namewatch';
    const config = readConfig({ DATA_DIR, DATABASE_URL, MASTER_KEY: Buffer.alloc(32).toString('base64') });
    const { url } = await openDatabase(config);
    expect(url).toBe(DATABASE_URL);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('is opened with both the new MASTER_KEY and the key in the data directory', async () => {
    const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
    const { config, close } = await openDatabase(readConfig({ ...settings, MASTER_KEY }));
    await close();
    expect(config.masterKeys).toEqual([MASTER_KEY, DataDirectory.open(folder).masterKey()]);
  });
});

const DENIED = /permission denied|must be owner/;

describe('the users of the embedded database', () => {
  let database: OpenDatabase;
  const open = async () => {
    database = await openDatabase(readConfig({ ...settings, PORT: '0', RDAP_BOOTSTRAP_URL: 'off' }));
    await migrate(database.config);
  };
  beforeAll(open);
  afterAll(() => database.close());

  describe('the user of the service', () => {
    it('is no superuser, and cannot read files of the server', async () => {
      const { databaseUrl } = database.config;
      const me = 'select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user';
      expect(await askDatabase(databaseUrl, me)).toEqual([
        { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false },
      ]);
      await expect(askDatabase(databaseUrl, `select pg_read_file('postgresql.conf')`)).rejects.toThrow(DENIED);
    });

    it('reads and writes rows, but cannot change tables', async () => {
      const { databaseUrl } = database.config;
      await askDatabase(databaseUrl, `insert into rate_limit_windows values ('a', 1, now())`);
      expect(await askDatabase(databaseUrl, `delete from rate_limit_windows where key = 'a' returning used`)).toEqual([
        { used: 1 },
      ]);
      for (const change of ['create table own (id integer)', 'drop table events', 'alter table events add own text'])
        await expect(askDatabase(databaseUrl, change)).rejects.toThrow(DENIED);
      for (const change of ['truncate events', 'create schema own', 'set role namewatch_owner', 'set role postgres'])
        await expect(askDatabase(databaseUrl, change)).rejects.toThrow(DENIED);
    });

    it('can add a job to each queue', async () => {
      const { databaseUrl } = database.config;
      const job = JSON.stringify([{ id: 'first', name: 'checks', data: {}, opts: { jobId: 'first' }, timestamp: 0 }]);
      for (const queue of QUEUES) {
        const ring = `set search_path to bullmq; select add_jobs_bulk('${queue}', '${job}')`;
        await askDatabase(databaseUrl, ring);
      }
      expect(await askDatabase(databaseUrl, 'select count(*)::int as jobs from bullmq.job')).toEqual([
        { jobs: QUEUES.length },
      ]);
    });

    it('can write to tables that a later migration creates', async () => {
      const { databaseUrl, migrationDatabaseUrl } = database.config;
      await askDatabase(migrationDatabaseUrl, 'create table later (id bigint generated always as identity)');
      await askDatabase(databaseUrl, 'insert into later default values');
      await askDatabase(migrationDatabaseUrl, 'drop table later');
    });
  });

  describe('the superuser', () => {
    it('cannot log in with the passwords stored in the data directory', async () => {
      const { databaseUrl, migrationDatabaseUrl } = database.config;
      for (const password of [databaseUrl, migrationDatabaseUrl].map((url) => new URL(url ?? '').password)) {
        const url = Object.assign(new URL(databaseUrl ?? ''), { username: 'postgres', password });
        await expect(askDatabase(url.href, 'select 1')).rejects.toThrow('password authentication failed');
      }
      const owner = 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user';
      expect(await askDatabase(migrationDatabaseUrl, owner)).toEqual([{ rolsuper: false, rolcreaterole: false }]);
    });

    it('gives the other users new passwords if their password files are deleted', async () => {
      await database.close();
      rmSync(join(folder, 'pg-owner-password'));
      rmSync(join(folder, 'pg-password'));
      await open();
      expect(await askDatabase(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    });
  });
});

describe('a data directory from before 1.0', () => {
  it('is refused with a one-line error, and is not changed', async () => {
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
    for (const refused of [await runInProcess(['up'], env), await runInProcess(['migrate'], env)]) {
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
