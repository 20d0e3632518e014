import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { withSession } from '../../../src/platform/database/session.js';
import { readConfig } from '../../../src/config/config.js';
import type { Manifest } from '../../../src/process/backup/manifest.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(60_000); // PostgreSQL starts several times, also on a busy machine

const folder = openFolder();
const elsewhere = openFolder();
const backup = join(elsewhere, 'monday');
const restored = join(elsewhere, 'restored');

const run = (words: string[], settings: Record<string, string> = {}) =>
  runInProcess(words, { PATH: process.env.PATH ?? '', DATA_DIR: folder, ...settings });
const restore = (from = backup, to = restored) => run(['restore', from], { DATA_DIR: to });
const manifest = () => JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as Manifest;

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  return withSession(url, async (session) => (await session.query<Row>(sql)).rows);
}

let service: AnotherProcess;
beforeAll(async () => {
  const { config, close } = await openDatabase(readConfig({ DATA_DIR: folder }));
  const client = new pg.Client(config.migrationDatabaseUrl ?? '');
  await client.connect();
  await client.query('create table counted (n integer); grant all on counted to namewatch');
  await client.end();
  await close();
  writeFileSync(join(folder, 'first-key'), 'nw_first\n', { mode: 0o600 });
  service = await AnotherProcess.holding(folder, 'service', 'database');
});
afterAll(async () => {
  await AnotherProcess.endAll();
  removeFolders();
});

/** Commits 1, 2, 3 and so on until it is stopped. */
class Counter {
  private readonly commits: number[] = [];
  private readonly counting: Promise<void>;
  private isStopped = false;

  constructor(private readonly client: pg.Client) {
    this.counting = this.count();
  }

  static async start(url: string): Promise<Counter> {
    const client = new pg.Client(url);
    await client.connect();
    return new Counter(client);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.counting;
    await this.client.end();
  }

  committedBefore(time: number): number {
    return this.commits.filter((at) => at < time).length;
  }

  private async count(): Promise<void> {
    while (!this.isStopped) {
      await this.client.query('insert into counted values ($1)', [this.commits.length + 1]);
      this.commits.push(Date.now());
    }
  }
}

describe('a backup of a running PostgreSQL', () => {
  it('is restored with all that was committed until it was taken, and no part of what came later', async () => {
    const counter = await Counter.start(service.databaseUrl);
    const taken = await run(['backup', backup]);
    await counter.stop();
    expect(taken).toMatchObject({ code: 0, err: '' });
    expect(taken.out).toContain('It holds the master key');

    expect(await restore()).toMatchObject({ code: 0, err: '', out: expect.stringContaining('SENDING=off DATA_DIR=') });
    const { url, close } = await openDatabase(readConfig({ DATA_DIR: restored }));
    const [counted] = await ask<{ rows: number; last: number }>(
      url,
      'select count(*)::int as rows, max(n) as last from counted',
    );
    await close();
    const { taken_at, tables } = manifest();
    expect(counted?.last).toBe(counted?.rows);
    expect(counted?.rows).toBe(tables['counted']);
    expect(counted?.rows).toBeGreaterThanOrEqual(counter.committedBefore(Date.parse(taken_at)));
    expect(counter.committedBefore(Date.parse(taken_at))).toBeGreaterThan(0);
    for (const key of ['master-key', 'first-key'])
      expect(readFileSync(join(restored, key), 'utf8')).toBe(readFileSync(join(folder, key), 'utf8'));
  });

  it('is closed to others, and holds no password and nothing of the server that ran', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    expect(statSync(join(backup, 'master-key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(backup).sort()).toEqual(['first-key', 'manifest.json', 'master-key', 'pg']);
    const left = /postmaster|backup_label|\.old$/;
    expect(readdirSync(join(backup, 'pg')).filter((name) => left.test(name))).toEqual([]);
    expect(readdirSync(join(backup, 'pg/pg_replslot'))).toEqual([]);
  });

  it.each([
    ['is not empty', () => backup],
    ['lies in', () => join(folder, 'backup')],
    ['lies in', () => folder],
    ['is a file', () => join(backup, 'manifest.json')],
    ['does not exist', () => join(elsewhere, 'missing/tuesday')],
  ])('is not written to a folder that %s', async (reason, target) => {
    const refused = await run(['backup', target()]);
    expect(refused.code).toBeGreaterThan(0);
    expect(refused.err).toContain(reason);
    expect(readdirSync(elsewhere).sort()).toEqual(['monday', 'restored']);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('is not written into a folder that another user made beforehand, or through a link', async () => {
    symlinkSync(openFolder(), join(elsewhere, 'tuesday.unfinished'));
    const refused = await run(['backup', join(elsewhere, 'tuesday')]);
    rmSync(join(elsewhere, 'tuesday.unfinished'));
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('is in the way') });
  });

  it('is not begun beside another one', async () => {
    const other = new pg.Client(
      service.databaseUrl.replace(
        /:\/\/[^@]+/,
        `://namewatch_owner:${readFileSync(join(folder, 'pg-owner-password'), 'utf8').trim()}`,
      ),
    );
    await other.connect();
    await other.query(`select pg_create_physical_replication_slot('namewatch_backup', true, true)`);
    const refused = await run(['backup', join(elsewhere, 'tuesday')]);
    await other.end();
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('another backup') });
    expect(existsSync(join(elsewhere, 'tuesday.unfinished'))).toBe(false);
  });

  it('is left to the tools of a PostgreSQL of your own, whose password is not shown', async () => {
    const own = {
      DATABASE_URL: 'postgres://me:hidden@db.example/names',
      MASTER_KEY: Buffer.alloc(32).toString('base64'),
    };
    const [dump, load] = [await run(['backup', backup], own), await run(['restore', backup], own)];
    expect(dump).toMatchObject({
      code: 5,
      err: expect.stringMatching(/pg_dump .*--host=db.example .*--dbname=names"/),
    });
    expect(load).toMatchObject({ code: 5, err: expect.stringMatching(/pg_restore .*--dbname=names namewatch.dump"/) });
    expect(dump.err + load.err).not.toContain('hidden');
  });

  it('is not made of a folder without data', async () => {
    const empty = join(elsewhere, 'empty');
    expect(await run(['backup', join(elsewhere, 'tuesday')], { DATA_DIR: empty })).toMatchObject({ code: 3 });
    expect(existsSync(empty)).toBe(false);
  });
});

describe('a restore', () => {
  const fresh = join(elsewhere, 'fresh');
  const file = join(backup, 'pg/PG_VERSION');
  const refuse = async (words: RegExp) => {
    const refused = await restore(backup, fresh);
    expect(refused).toMatchObject({ code: 5, err: expect.stringMatching(words) });
    expect(existsSync(join(fresh, 'pg'))).toBe(false);
    expect(existsSync(fresh) ? readdirSync(fresh).filter((name) => name.startsWith('pg')) : []).toEqual([]);
  };

  it('leaves a database, and a service that runs, as they are', async () => {
    expect(await restore()).toMatchObject({ code: 5, err: expect.stringContaining('has a database') });
    expect(await restore(backup, folder)).toMatchObject({ code: 5, err: expect.stringContaining(`a service (pid`) });
  });

  it('leaves another master key as it is', async () => {
    mkdirSync(fresh, { mode: 0o711 });
    writeFileSync(join(fresh, 'master-key'), 'another', { mode: 0o600 });
    await refuse(/master-key is another than that of the backup/);
    rmSync(join(fresh, 'master-key'));
  });

  it('refuses a backup of which something is missing, additional or changed', async () => {
    renameSync(file, `${file}.moved`);
    await refuse(/missing: pg\/PG_VERSION\n {2}additional: pg\/PG_VERSION.moved$/);
    renameSync(`${file}.moved`, file);
    symlinkSync('/etc/passwd', `${file}.link`);
    const linked = await restore(backup, fresh);
    expect(linked).toMatchObject({ code: 1, err: expect.stringContaining('neither a file nor a folder') });
    rmSync(`${file}.link`);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.replace(/\d/, '9'));
    await refuse(/changed: pg\/PG_VERSION$/);
    writeFileSync(file, before);
  });

  it.each([
    ['is of a later version', { namewatch: '99.0.0' }, /made by Namewatch 99\.0\.0 .* that version or a newer one/],
    ['is of another platform', { platform: 'darwin-arm64' }, /on darwin-arm64/],
  ])('refuses a backup that %s', async (_, changes, words) => {
    const path = join(backup, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ ...manifest(), ...changes }));
    await refuse(words);
    writeFileSync(path, text);
  });

  it('refuses a backup whose manifest is missing or damaged', async () => {
    const path = join(backup, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    for (const damaged of ['', '{}', text.slice(0, 1_000), JSON.stringify({ ...manifest(), files: [{}] })]) {
      writeFileSync(path, damaged);
      expect(await restore(backup, fresh)).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
    }
    rmSync(path);
    await refuse(/is no whole backup/);
    writeFileSync(path, text);
  });
});
