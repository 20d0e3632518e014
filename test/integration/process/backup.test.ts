import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { CURRENT_XID } from '../../../src/platform/database/transaction-order.js';
import { type Manifest, writeManifest } from '../../../src/process/backup/manifest.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { askDatabase, freshDatabase } from '../../support/database/database.js';
import { runAsProcess, runInProcess } from '../../support/programs/command-line.js';
import { AnotherProcess } from './holders.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // PostgreSQL starts several times, also on a busy machine

const folder = openFolder();
const elsewhere = openFolder();
const backup = join(elsewhere, 'monday');
const restored = join(elsewhere, 'restored');
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const run = (words: string[], settings: Record<string, string> = {}) =>
  runInProcess(words, { PATH: process.env.PATH ?? '', DATA_DIR: folder, ...settings });
const restore = (from = backup, to = restored, settings: Record<string, string> = {}) =>
  run(['restore', from], { DATA_DIR: to, ...settings });
const manifest = (of = backup) => JSON.parse(readFileSync(join(of, 'manifest.json'), 'utf8')) as Manifest;

const insertEvent = (id: string) =>
  `insert into events (id, xid, account_id, type, body, created_at) values ('${id}', ${CURRENT_XID}, 'acc_1', 'ping', '{}', now())`;

let service: AnotherProcess;
beforeAll(async () => {
  expect(await run(['migrate'])).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'first-key'), 'nw_first\n', { mode: 0o600 });
  service = await AnotherProcess.holding(folder, 'service', 'database');
  const [awkward, at] = ["E'tab\\t, line\\n, \\\\N and ü'", "'2026-11-28T10:00:00Z'"];
  await askDatabase(
    service.databaseUrl,
    `insert into accounts (id, name, plan, created_at) values ('acc_1', ${awkward}, 'free', ${at})`,
  );
  await askDatabase(service.databaseUrl, insertEvent('evt_0'));
});
afterAll(async () => {
  await AnotherProcess.endAll();
  removeFolders();
});

/** Commits events 1, 2, 3 and so on until it is stopped. */
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
    const counter = new Counter(client);
    while (counter.commits.length === 0) await pause(5);
    return counter;
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
      await this.client.query(insertEvent(`evt_${this.commits.length + 1}`));
      this.commits.push(Date.now());
    }
  }
}

describe('a backup of a running PostgreSQL', () => {
  it('is restored with all rows committed before it was taken, and nothing committed later', async () => {
    const counter = await Counter.start(service.databaseUrl);
    const taken = await run(['backup', backup]);
    await counter.stop();
    expect(taken).toMatchObject({ code: 0, err: '' });
    expect(taken.out).toContain('It holds the master key');
    const status = await run(['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({ last_backup: { taken_at: manifest().taken_at } });

    expect(await restore()).toMatchObject({ code: 0, err: '', out: expect.stringContaining('SENDING=off DATA_DIR=') });
    const { url, close } = await openDatabase(readConfig({ DATA_DIR: restored }));
    const [counted] = await askDatabase<{ rows: number; last: number }>(
      url,
      'select count(*)::int as rows, max(substr(id, 5)::int) + 1 as last from events',
    );
    const accounts = await askDatabase(url, 'select * from accounts');
    await close();
    const { taken_at, tables } = manifest();
    expect(counted?.last).toBe(counted?.rows);
    expect(counted?.rows).toBe(tables['events']?.rows);
    expect(counted?.rows).toBeGreaterThan(counter.committedBefore(Date.parse(taken_at)));
    expect(counter.committedBefore(Date.parse(taken_at))).toBeGreaterThan(0);
    expect(accounts).toEqual(await askDatabase(service.databaseUrl, 'select * from accounts'));
    for (const key of ['master-key', 'first-key'])
      expect(readFileSync(join(restored, key), 'utf8')).toBe(readFileSync(join(folder, key), 'utf8'));
  });

  it('numbers events after a restore higher than every event of the original database', async () => {
    const { url, close } = await openDatabase(readConfig({ DATA_DIR: restored }));
    await askDatabase(url, insertEvent('evt_restored'));
    const next = `select id, xid::text::float8 as xid, seq::int as seq from events order by events.xid desc, seq desc limit 1`;
    const [first] = await askDatabase<{ id: string; xid: number; seq: number }>(url, next);
    const [numbers] = await askDatabase<{ xid: number }>(url, `select pg_current_xact_id()::text::float8 as xid`);
    await close();
    const [last] = await askDatabase<{ xid: number; seq: number }>(service.databaseUrl, next);
    expect(numbers?.xid).toBeLessThan(last?.xid ?? 0);
    expect(first?.id).toBe('evt_restored');
    expect(first?.xid).toBeGreaterThan(last?.xid ?? 0);
    expect(first?.seq).toBeGreaterThan(manifest().tables['events']?.rows ?? 0);
  });

  it('is unreadable for other users, and contains no database password and no server files', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    expect(statSync(join(backup, 'master-key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(backup).sort()).toEqual(['first-key', 'manifest.json', 'master-key', 'tables']);
    for (const name of readdirSync(join(backup, 'tables'))) {
      expect(statSync(join(backup, 'tables', name)).mode & 0o777).toBe(0o600);
      expect(name).toMatch(/^\w+\.copy\.gz$/);
    }
  });

  it.each([
    ['is not empty', () => backup],
    ['lies in', () => join(folder, 'backup')],
    ['lies in', () => folder],
    ['is a file', () => join(backup, 'manifest.json')],
    ['does not exist', () => join(elsewhere, 'missing/tuesday')],
  ])('is not written to an unsuitable folder, and the error contains the words "%s"', async (reason, target) => {
    const refused = await run(['backup', target()]);
    expect(refused.code).toBeGreaterThan(0);
    expect(refused.err).toContain(reason);
    expect(readdirSync(elsewhere).sort()).toEqual(['monday', 'restored']);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('is refused if a link already stands where its temporary folder belongs', async () => {
    symlinkSync(openFolder(), join(elsewhere, 'tuesday.unfinished'));
    const refused = await run(['backup', join(elsewhere, 'tuesday')]);
    rmSync(join(elsewhere, 'tuesday.unfinished'));
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('is in the way') });
  });

  it('can be written and read through a symbolic link, but not into the data directory', async () => {
    const behind = openFolder();
    const link = join(openFolder(), 'link');
    symlinkSync(behind, link);
    expect(await run(['backup', join(link, 'tuesday')])).toMatchObject({ code: 0, err: '' });
    expect(await run(['backup', '--verify', join(link, 'tuesday')])).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(behind)).toEqual(['tuesday']);
    symlinkSync(folder, join(link, 'data'));
    const refused = await run(['backup', join(link, 'data/tuesday')]);
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('lies in') });
  });

  it('is read by any spelling of its path, such as a relative one', async () => {
    for (const path of [`${backup}/`, `${elsewhere}/./monday`, relative(process.cwd(), backup)])
      expect(await run(['backup', '--verify', path])).toMatchObject({ code: 0, err: '' });
  });

  it('is refused if there is no data directory, and creates none', async () => {
    const empty = join(elsewhere, 'empty');
    expect(await run(['backup', join(elsewhere, 'tuesday')], { DATA_DIR: empty })).toMatchObject({ code: 3 });
    expect(existsSync(empty)).toBe(false);
  });
});

describe('namewatch backup --keep 2', () => {
  it('keeps the two newest backups, and deletes only older and unfinished ones', async () => {
    const parent = join(openFolder(), 'dated');
    for (const taken of [1, 2, 3]) {
      expect(await run(['backup', parent, '--keep', '2'])).toMatchObject({ code: 0, err: '' });
      if (taken > 1) continue;
      mkdirSync(join(parent, '2020-01-01T00-00-00.000Z.unfinished'));
      mkdirSync(join(parent, 'notes'));
      mkdirSync(join(parent, '2020-01-02T00-00-00.000Z')); // without a manifest it is no backup of ours
    }
    const left = readdirSync(parent).sort();
    expect(left).toHaveLength(4);
    expect(left).toEqual(expect.arrayContaining(['2020-01-02T00-00-00.000Z', 'notes']));
    const newest = left.filter((name) => /^\d/.test(name)).at(-1) ?? '';
    expect(await run(['backup', '--verify', join(parent, newest)])).toMatchObject({ code: 0, err: '' });
    const refused = await run(['backup', join(parent, newest), '--keep', '2']);
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('is a backup') });
  });
});

describe('a restore', () => {
  const fresh = join(elsewhere, 'fresh');
  const table = (name: string) => join(backup, 'tables', `${name}.copy.gz`);
  const refuse = async (words: RegExp) => {
    for (const refused of [await restore(backup, fresh), await run(['backup', '--verify', backup])])
      expect(refused).toMatchObject({ code: 5, err: expect.stringMatching(words) });
    expect(existsSync(fresh) ? readdirSync(fresh).filter((name) => name.startsWith('pg')) : []).toEqual([]);
  };

  it('is refused if the folder has a database or a running service', async () => {
    expect(await restore()).toMatchObject({ code: 5, err: expect.stringContaining('has a database') });
    expect(await restore(backup, folder)).toMatchObject({ code: 5, err: expect.stringContaining(`a service (pid`) });
  });

  it('is refused if the folder has another master key', async () => {
    mkdirSync(fresh, { mode: 0o711 });
    writeFileSync(join(fresh, 'master-key'), 'another', { mode: 0o600 });
    const refused = await restore(backup, fresh);
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('another than that of the backup') });
    rmSync(join(fresh, 'master-key'));
  });

  it('names every file of the backup that is missing, changed, truncated or additional', async () => {
    const kept = Object.fromEntries(
      ['accounts', 'events', 'api_keys', 'sessions'].map((name) => [name, readFileSync(table(name))]),
    );
    renameSync(table('accounts'), join(backup, 'accounts.moved'));
    truncateSync(table('events'), 5);
    const changed = Buffer.from(kept['api_keys'] ?? '');
    changed[12] = (changed[12] ?? 0) ^ 1;
    writeFileSync(table('api_keys'), changed);
    appendFileSync(table('sessions'), 'x');
    symlinkSync('/etc/passwd', join(backup, 'tables/linked'));
    writeFileSync(join(backup, 'first-key'), 'nw_other\n');
    await refuse(
      new RegExp(
        [
          'is not as it was written:',
          '  changed: first-key',
          '  missing: tables/accounts.copy.gz',
          '  changed: tables/api_keys.copy.gz',
          '  truncated: tables/events.copy.gz',
          '  changed: tables/sessions.copy.gz',
          '  additional: accounts.moved',
          '  additional: tables/linked$',
        ].join('\n'),
      ),
    );
    rmSync(join(backup, 'accounts.moved'));
    rmSync(join(backup, 'tables/linked'));
    writeFileSync(join(backup, 'first-key'), 'nw_first\n');
    for (const [name, content] of Object.entries(kept)) writeFileSync(table(name), content);
    expect(await run(['backup', '--verify', backup])).toMatchObject({ code: 0 });
  });

  it.each([
    ['names a later version', { namewatch: '99.0.0' }, /made by Namewatch 99\.0\.0.*its own version/],
    ['has another format', { format: 1 }, /in format 1, and this is/],
    ['was edited', { taken_at: '2030-01-01T00:00:00.000Z' }, /changed: manifest\.json$/],
    ['comes from another program', { namewatch: 'none' }, /cannot be read: it is none of Namewatch/],
  ])('refuses a backup whose manifest %s', async (_, changes, words) => {
    const path = join(backup, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ ...manifest(), ...changes }));
    await refuse(words);
    writeFileSync(path, text);
  });

  it.each([
    [
      'before 1.0',
      'Migration20261126120000Baseline',
      /of a version before 1\.0: restore it with that, .*"namewatch export /,
    ],
    [
      'later',
      'Migration20991231000000',
      /of a later version, which made Migration20991231000000: restore it with that$/,
    ],
  ])('refuses a backup of a database whose version is %s', async (_, migration, words) => {
    const path = join(backup, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    const { sha256: _former, ...content } = manifest();
    writeManifest(backup, { ...content, migrations: { mikro_orm_migrations: [migration] } });
    expect(await restore(backup, fresh)).toMatchObject({ code: 5, err: expect.stringMatching(words) });
    expect(existsSync(join(fresh, 'pg'))).toBe(false);
    writeFileSync(path, text);
  });

  it('refuses a backup whose manifest is missing or damaged', async () => {
    const path = join(backup, 'manifest.json');
    const text = readFileSync(path, 'utf8');
    for (const damaged of ['', '{}', 'null', '[]', text.slice(0, 1_000)]) {
      writeFileSync(path, damaged);
      await refuse(/manifest\.json cannot be read/);
    }
    rmSync(path);
    await refuse(/is no whole backup/);
    writeFileSync(path, text);
  });
});

describe('a data directory of another PostgreSQL major version', () => {
  it('is refused with the commands that migrate it, and is not changed', async () => {
    const old = openFolder();
    expect(await restore(backup, old)).toMatchObject({ code: 0 });
    const version = join(realpathSync(join(old, 'pg')), 'PG_VERSION');
    const major = readFileSync(version, 'utf8').trim();
    writeFileSync(version, '14\n');
    const files = () => readdirSync(realpathSync(join(old, 'pg')), { recursive: true }).sort();
    const before = files();
    for (const words of [['up'], ['migrate'], ['backup', join(elsewhere, 'tuesday')]]) {
      const { code, err } = await run(words, { DATA_DIR: old, PORT: '0' });
      expect({ words, code }).toEqual({ words, code: 78 });
      expect(err).toMatch(
        new RegExp(`^DATA_DIR: .*/pg was made by PostgreSQL 14, and this Namewatch has PostgreSQL ${major}: .*`),
      );
      expect(err).toMatch(/"namewatch backup .*-backup".*"mv .*\/pg .*\/pg-14".*"namewatch restore .*-backup"/);
    }
    expect(files()).toEqual(before);
    expect(readFileSync(version, 'utf8')).toBe('14\n');
  });
});

describe('the database of DATABASE_URL', () => {
  const settings = async () => ({ DATABASE_URL: await freshDatabase(), MASTER_KEY_FILE: join(backup, 'master-key') });

  it('gets all rows of a backup, and can be backed up and restored again', async () => {
    const target = await settings();
    expect(await restore(backup, openFolder(), target)).toMatchObject({ code: 0, err: '' });
    const again = await restore(backup, openFolder(), target);
    expect(again).toMatchObject({ code: 5, err: expect.stringMatching(/is not empty: it has accounts$/) });

    const back = join(openFolder(), 'back');
    expect(await run(['backup', back], target)).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(back).sort()).toEqual(['manifest.json', 'tables']);
    const rows = ({ tables }: Manifest) => Object.entries(tables).map(([name, { rows }]) => [name, rows]);
    expect(rows(manifest(back))).toEqual(rows(manifest()));
    expect(manifest(back).tables['events']?.sha256).toBe(manifest().tables['events']?.sha256);
    const home = openFolder();
    expect(await restore(back, home)).toMatchObject({ code: 0, err: '', out: expect.stringContaining('MASTER_KEY') });
  });

  it('can be restored into even if it was already migrated', async () => {
    const target = await settings();
    expect(await run(['migrate'], target)).toMatchObject({ code: 0 });
    expect(await restore(backup, openFolder(), target)).toMatchObject({ code: 0, err: '' });
  });

  it('is not changed by a restore if it has other tables or the master key differs', async () => {
    const target = await settings();
    const otherKey = { DATABASE_URL: target.DATABASE_URL, MASTER_KEY };
    const refused = await restore(backup, openFolder(), otherKey);
    expect(refused).toMatchObject({ code: 5, err: expect.stringMatching(/set MASTER_KEY_FILE=.*monday\/master-key/) });
    await askDatabase(target.DATABASE_URL, 'create table orders (id integer)');
    const foreign = await restore(backup, openFolder(), target);
    expect(foreign).toMatchObject({ code: 5, err: expect.stringMatching(/not empty: it has the table orders$/) });
    expect(await askDatabase(target.DATABASE_URL, `select from pg_class where relname = 'accounts'`)).toEqual([]);
  });

  it('takes only one of two restores that run at once', async () => {
    const target = await settings();
    const both = await Promise.all(
      [1, 2].map(() => runAsProcess(['restore', backup], { DATA_DIR: openFolder(), ...target })),
    );
    expect(both.map(({ code }) => code).sort()).toEqual([0, 5]);
  });
});
