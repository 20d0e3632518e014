import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { runsAsRoot, ROOT_STORE } from '../../../src/process/postgres/database-user.js';
import { askDatabase, freshDatabase } from '../../support/database/database.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { SmallDisk } from '../../support/servers/small-disk.js';
import { AnotherProcess } from './holders.js';
import { closedFolder, openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(300_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');
const ROWS = 60_000;
const folder = openFolder();
const elsewhere = openFolder();
const backup = join(elsewhere, 'whole');

let service: AnotherProcess;
beforeAll(async () => {
  expect(await run(['migrate'])).toMatchObject({ code: 0 });
  service = await AnotherProcess.holding(folder, 'service', 'database');
  await askDatabase(service.databaseUrl, `insert into accounts values ('acc_1', 'one', 'free', now())`);
  await askDatabase(
    service.databaseUrl,
    `insert into events (id, account_id, type, body, created_at)
     select n, 'acc_1', 'ping', (select string_agg(md5(n::text || m), '') from generate_series(1, 20) m), now()
       from generate_series(1, $1::int) n`,
    [ROWS],
  );
  expect(await run(['backup', backup])).toMatchObject({ code: 0, err: '' });
});
afterAll(async () => {
  await AnotherProcess.endAll();
  removeFolders();
});

const run = (words: string[], DATA_DIR = folder, settings: Record<string, string> = {}) =>
  runAsProcess(words, { DATA_DIR, ...settings });

/** A command in a process that can be ended on the way. */
class Command {
  readonly err: Promise<string>;
  private readonly exit: Promise<unknown[]>;

  constructor(private readonly child: ChildProcess) {
    this.err = child.stderr ? text(child.stderr) : Promise.resolve('');
    this.exit = once(child, 'exit');
  }

  static start(words: string[], DATA_DIR = folder, settings: Record<string, string> = {}): Command {
    const env = { ...ownEnvironment(), DATA_DIR, ...settings };
    const program = join(ROOT, 'bin/namewatch.mjs');
    return new Command(spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  }

  /** Waits until it has come so far, as its files show. */
  async until(hasCome: () => boolean | Promise<boolean>): Promise<this> {
    while (!(await hasCome())) {
      if (this.child.exitCode === 0) break; // its last steps are shorter than a glance
      if (this.child.exitCode !== null) throw new Error(`it ended before: ${await this.err}`);
      await pause(1); // steps take tenths of a second
    }
    return this;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }

  async ended(): Promise<number | null> {
    const [code] = await this.exit;
    return code as number | null;
  }
}

/** A restored data directory has every row, and its service would find it so. */
async function assertWhole(from: string): Promise<void> {
  const restored = openFolder();
  expect(await run(['restore', from], restored)).toMatchObject({ code: 0, err: '' });
  await assertRestored(restored);
}

async function assertRestored(dataDir: string): Promise<void> {
  const { config, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }));
  const rows = await askDatabase(config.migrationDatabaseUrl, 'select count(*)::int as rows from events');
  await close();
  expect(rows).toEqual([{ rows: ROWS }]);
}

const target = join(elsewhere, 'target');
const draft = (path = '') => join(`${target}.unfinished`, path);
const STEPS: [string, () => boolean][] = [
  ['has just begun', () => existsSync(draft('lock'))],
  ['copies tables', () => existsSync(draft('tables/accounts.copy.gz'))],
  ['copies a large table', () => sizeOf(draft('tables/events.copy.gz')) > 1_000_000],
  ['has copied all tables', () => existsSync(draft('tables/watched_names.copy.gz'))],
  ['has written its manifest', () => existsSync(draft('manifest.json'))],
];

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

describe('a killed backup', () => {
  it.each(STEPS)(
    'leaves no partial backup that can be restored, and can be repeated: killed when it %s',
    async (_, hasCome) => {
      const command = await Command.start(['backup', target]).until(hasCome);
      await command.end('SIGKILL');
      if (existsSync(target)) {
        expect(await run(['backup', '--verify', target])).toMatchObject({ code: 0 });
        rmSync(target, { recursive: true });
      } else {
        const ofDraft = await run(['restore', draft()], join(elsewhere, 'none'));
        expect(ofDraft).toMatchObject({ code: 5, err: expect.stringMatching(/no whole backup|additional: lock/) });
      }
      expect(await run(['backup', target])).toMatchObject({ code: 0, err: '' });
      expect(existsSync(draft())).toBe(false);
      expect(await run(['backup', '--verify', target])).toMatchObject({ code: 0, err: '' });
      rmSync(target, { recursive: true });
    },
  );
});

describe('a backup that is stopped by Ctrl-C', () => {
  it.each(STEPS)('leaves no files: stopped when it %s', async (_, hasCome) => {
    const command = await Command.start(['backup', target]).until(hasCome);
    const code = await command.end('SIGINT');
    if (code === 0) return void rmSync(target, { recursive: true }); // it was whole by then
    expect({ code, err: await command.err }).toEqual({ code: 1, err: 'stopped: nothing is left of the backup\n' });
    expect([existsSync(target), existsSync(draft())]).toEqual([false, false]);
  });
});

describe('two backups at the same time', () => {
  it('to the same folder end in one backup and one refusal', async () => {
    const both = [Command.start(['backup', target]), Command.start(['backup', target])];
    expect((await Promise.all(both.map((each) => each.ended()))).sort()).toEqual([0, 5]);
    expect((await Promise.all(both.map((each) => each.err))).join('')).toMatch(/another backup is being|is not empty/);
    expect(await run(['backup', '--verify', target])).toMatchObject({ code: 0 });
    rmSync(target, { recursive: true });
  });

  it('to two folders both succeed', async () => {
    const other = join(elsewhere, 'other');
    const both = [Command.start(['backup', target]), Command.start(['backup', other])];
    expect(await Promise.all(both.map((each) => each.ended()))).toEqual([0, 0]);
    for (const made of [target, other]) rmSync(made, { recursive: true });
  });
});

describe('a backup during which the service stops', () => {
  it('fails with a message about the lost database, and leaves no files', async () => {
    const command = await Command.start(['backup', target]).until(
      () => sizeOf(draft('tables/events.copy.gz')) > 1_000_000,
    );
    await service.letGo();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(/^the database went away during the backup: .*; try again\n$/);
    expect([existsSync(target), existsSync(draft())]).toEqual([false, false]);
    expect(await run(['backup', target])).toMatchObject({ code: 0, err: '' }); // without a service
    await assertWhole(target);
    rmSync(target, { recursive: true });
    service = await AnotherProcess.holding(folder, 'service', 'database');
  });
});

const RESTORE_STEPS: [string, (dataDir: string) => boolean][] = [
  ['has just begun', (to) => existsSync(join(to, 'lock'))],
  ['has restored the master key', (to) => existsSync(join(to, 'master-key'))],
  ['creates the PostgreSQL files', (to) => draftsOf(to).some((found) => existsSync(join(found, 'PG_VERSION')))],
  ['starts PostgreSQL on these files', (to) => draftsOf(to).some((found) => existsSync(join(found, 'postmaster.pid')))],
  ['has loaded half of the rows', (to) => draftsOf(to).some((found) => treeSize(join(found, 'base')) > 50_000_000)],
];

function treeSize(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.reduce((bytes, { parentPath, name }) => bytes + sizeOf(join(parentPath, name)), 0);
  } catch {
    return 0; // it comes and goes
  }
}
const storedBefore = runsAsRoot() && existsSync(ROOT_STORE) ? readdirSync(ROOT_STORE) : [];
const isDraft = (name: string) => /^pg-[A-Za-z0-9]{6}$/.test(name);

/** Clusters that are being made, in the folder itself or in the root store. */
function draftsOf(dataDir: string): string[] {
  const here = existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter(isDraft)
        .map((name) => join(dataDir, name))
    : [];
  return [...here, ...newInRootStore()];
}

function newInRootStore(): string[] {
  if (!runsAsRoot() || !existsSync(ROOT_STORE)) return [];
  const notes = readdirSync(ROOT_STORE).filter((name) => name.endsWith('.draft') && !storedBefore.includes(name));
  return notes.map((name) => join(ROOT_STORE, name.replace(/\.draft$/, '')));
}

describe.each([
  ['an open folder', openFolder],
  ['a folder that PostgreSQL cannot access', closedFolder],
])('a restore into %s', (_, makeFolder) => {
  it.each(RESTORE_STEPS)('can be repeated, and then has every row, if killed when it %s', async (__, hasCome) => {
    const to = makeFolder();
    const command = await Command.start(['restore', backup], to).until(() => hasCome(to));
    await command.end('SIGKILL');
    if (!existsSync(join(to, 'pg'))) expect(await run(['restore', backup], to)).toMatchObject({ code: 0, err: '' });
    expect(draftsOf(to)).toEqual([]);
    await assertRestored(to);
  });

  it('leaves no part of a database if stopped by Ctrl-C', async () => {
    const to = makeFolder();
    const command = await Command.start(['restore', backup], to).until(() => draftsOf(to).length > 0);
    expect(await command.end('SIGINT')).toBe(1);
    expect(await command.err).toBe('stopped: nothing was restored\n');
    expect(draftsOf(to).filter((found) => existsSync(found))).toEqual([]);
    expect(existsSync(join(to, 'pg'))).toBe(false);
  });
});

const MASTER_KEY_FILE = join(backup, 'master-key');
const count = (url: string, table: string) => askDatabase(url, `select count(*)::int as rows from ${table}`);
const DATABASE_STEPS: [string, string][] = [
  [
    'has just begun',
    `select from pg_stat_activity where application_name = 'namewatch backup' and datname = current_database()`,
  ],
  ['creates tables', `select from pg_class where relname = 'accounts'`],
  ['loads rows', `select from pg_stat_progress_copy where datname = current_database() and tuples_processed > 5000`],
];

describe('a restore into the database of DATABASE_URL', () => {
  it.each(DATABASE_STEPS)('can be repeated, and then has every row, if killed when it %s', async (_, question) => {
    const DATABASE_URL = await freshDatabase();
    const settings = { DATABASE_URL, MASTER_KEY_FILE };
    const to = openFolder();
    const hasCome = async () => (await askDatabase(DATABASE_URL, question)).length > 0;
    const command = await Command.start(['restore', backup], to, settings).until(hasCome);
    await command.end('SIGKILL');
    expect(await run(['restore', backup], to, settings)).toMatchObject({ code: 0, err: '' });
    expect(await count(DATABASE_URL, 'events')).toEqual([{ rows: ROWS }]);
  });

  it('fails with a clear message, and leaves no rows, if the database connection is lost', async () => {
    const DATABASE_URL = await freshDatabase();
    const settings = { DATABASE_URL, MASTER_KEY_FILE };
    const loads = DATABASE_STEPS.at(-1)?.[1] ?? '';
    const hasCome = async () => (await askDatabase(DATABASE_URL, loads)).length > 0;
    const command = await Command.start(['restore', backup], openFolder(), settings).until(hasCome);
    await askDatabase(
      DATABASE_URL,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'namewatch backup' and datname = current_database()`,
    );
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(/^the database went away during the restore: .*; repeat it\n$/);
    expect(await count(DATABASE_URL, 'accounts')).toEqual([{ rows: 0 }]);
    expect(await run(['restore', backup], openFolder(), settings)).toMatchObject({ code: 0, err: '' });
  });

  it('leaves no rows if stopped by Ctrl-C', async () => {
    const DATABASE_URL = await freshDatabase();
    const loads = DATABASE_STEPS.at(-1)?.[1] ?? '';
    const command = Command.start(['restore', backup], openFolder(), { DATABASE_URL, MASTER_KEY_FILE });
    await command.until(async () => (await askDatabase(DATABASE_URL, loads)).length > 0);
    expect(await command.end('SIGINT')).toBe(1);
    expect(await command.err).toBe('stopped: nothing was restored\n');
    expect(await count(DATABASE_URL, 'accounts')).toEqual([{ rows: 0 }]);
  });
});

const disk = SmallDisk.mount(150);
const onSmallDisk = disk === null ? describe.skip : describe;
afterAll(() => disk?.unmount());

onSmallDisk('a disk with too little space', () => {
  it('makes a backup fail before it begins, and no files are left', async () => {
    const to = join(disk?.path ?? '', 'tuesday');
    disk?.fill();
    const full = await run(['backup', to]);
    expect(full).toMatchObject({ code: 1, err: `cannot write the backup to ${to}: the disk is full` });
    disk?.makeSpace();
    writeFileSync(join(disk?.path ?? '', 'ballast'), Buffer.alloc(120_000_000));
    const small = await run(['backup', to]);
    expect(small).toMatchObject({ code: 1, err: expect.stringMatching(/its disk has only \d+ MB left/) });
    disk?.makeSpace();
    expect(readdirSync(disk?.path ?? '')).toEqual([]);
  });

  it('makes a running backup fail with a one-line error, and no files are left', async () => {
    const to = join(disk?.path ?? '', 'tuesday');
    const command = Command.start(['backup', to]);
    await command.until(() => sizeOf(join(`${to}.unfinished`, 'tables/events.copy.gz')) > 1_000_000);
    disk?.fill();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(
      /^(cannot write the backup to .*tuesday: the disk is full|its disk has only .*)\n$/,
    );
    disk?.makeSpace();
    expect(readdirSync(disk?.path ?? '')).toEqual([]);
    expect(await askDatabase(service.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('makes a restore fail, and no part of a database is left', async () => {
    const to = join(disk?.path ?? '', 'data');
    mkdirSync(to, { mode: 0o711 });
    const hasStarted = () => draftsOf(to).some((found) => existsSync(join(found, 'postmaster.pid')));
    const command = await Command.start(['restore', backup], to).until(hasStarted);
    disk?.fill();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(/No space left on device|the disk is full|its disk is full/);
    expect(readdirSync(to).filter((name) => name.startsWith('pg-') || name === 'pg')).toEqual([
      'pg-owner-password',
      'pg-password',
    ]);
    disk?.makeSpace();
  });
});

describe('a folder that cannot be written', () => {
  it('makes a backup and a restore fail with an error that names the folder', async () => {
    const refused = await run(['backup', '/proc/tuesday']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^cannot write the backup to \/proc\/tuesday: /);
    const restored = await run(['restore', backup], '/proc/restored');
    expect(restored.code).toBe(78);
    expect(restored.err).toMatch(/^DATA_DIR: cannot make \/proc\/restored/);
  });
});
