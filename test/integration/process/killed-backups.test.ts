import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withSession } from '../../../src/platform/database/session.js';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { runsAsRoot, ROOT_STORE } from '../../../src/process/postgres/database-user.js';
import { eventually } from '../../support/eventually.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { SmallDisk } from '../../support/servers/small-disk.js';
import { AnotherProcess } from './holders.js';
import { closedFolder, openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(120_000); // whole processes start, also on a busy machine

const ROOT = join(import.meta.dirname, '../../..');
const ROWS = 20_000;
const folder = openFolder();
const elsewhere = openFolder();
const backup = join(elsewhere, 'whole');

let service: AnotherProcess;
beforeAll(async () => {
  const { config, close } = await openDatabase(readConfig({ DATA_DIR: folder }));
  await ask(config.migrationDatabaseUrl, 'create table counted as select generate_series(1, $1::int) as n', [ROWS]);
  await close();
  service = await AnotherProcess.holding(folder, 'service', 'database');
  expect(await run(['backup', backup])).toMatchObject({ code: 0, err: '' });
});
afterAll(async () => {
  await AnotherProcess.endAll();
  removeFolders();
});

const run = (words: string[], DATA_DIR = folder) => runAsProcess(words, { DATA_DIR });

async function ask(url: string | null, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return withSession(url ?? '', async (session) => (await session.query<Record<string, unknown>>(sql, values)).rows);
}

/** A command in a process that can be ended on the way. */
class Command {
  readonly err: Promise<string>;
  private readonly exit: Promise<unknown[]>;

  constructor(private readonly child: ChildProcess) {
    this.err = child.stderr ? text(child.stderr) : Promise.resolve('');
    this.exit = once(child, 'exit');
  }

  static start(words: string[], DATA_DIR = folder): Command {
    const env = { ...ownEnvironment(), DATA_DIR };
    const program = join(ROOT, 'bin/namewatch.mjs');
    return new Command(spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] }));
  }

  /** Waits until it has come so far, as its files show. */
  async until(hasCome: () => boolean): Promise<this> {
    while (!hasCome()) {
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
  const rows = await ask(config.migrationDatabaseUrl, 'select count(*)::int as rows from counted');
  await close();
  expect(rows).toEqual([{ rows: ROWS }]);
}

const target = join(elsewhere, 'target');
const draft = (path = '') => join(`${target}.unfinished`, path);
const STEPS: [string, () => boolean][] = [
  ['is begun', () => existsSync(draft('lock'))],
  ['copies files', () => existsSync(draft('pg/base/1'))],
  ['copies the log', () => existsSync(draft('pg/pg_wal')) && readdirSync(draft('pg/pg_wal')).length > 0],
  ['starts PostgreSQL on the copy', () => existsSync(draft('pg/postmaster.pid'))],
  ['reads the copy', () => existsSync(draft('pg/backup_label.old'))],
  [
    'takes checksums',
    () =>
      existsSync(draft('master-key')) &&
      !existsSync(draft('pg/postmaster.pid')) &&
      !existsSync(draft('pg/postmaster.opts')) &&
      !existsSync(draft('pg/backup_label')),
  ],
  ['is written down', () => existsSync(draft('manifest.json'))],
];

describe('a backup that is killed', () => {
  it.each(STEPS)('when it %s is none, does not touch the service, and can be repeated', async (_, hasCome) => {
    const command = await Command.start(['backup', target]).until(hasCome);
    await command.end('SIGKILL');
    if (existsSync(target)) {
      await assertWhole(target);
      rmSync(target, { recursive: true });
    } else {
      const ofDraft = await run(['restore', draft()], join(elsewhere, 'none'));
      expect(ofDraft).toMatchObject({ code: 5, err: expect.stringMatching(/no whole backup|additional: lock/) });
    }

    const noBackup = async () => (await ask(service.databaseUrl, 'select 1 from pg_replication_slots')).length === 0;
    await eventually(noBackup, (isOver) => isOver, 10_000);
    expect(await run(['backup', target])).toMatchObject({ code: 0, err: '' });
    expect(existsSync(draft())).toBe(false);
    await assertWhole(target);
    rmSync(target, { recursive: true });
  });
});

describe('a backup that is stopped by Ctrl-C', () => {
  it.each(STEPS)('when it %s leaves nothing', async (_, hasCome) => {
    const command = await Command.start(['backup', target]).until(hasCome);
    const code = await command.end('SIGINT');
    if (code === 0) return void rmSync(target, { recursive: true }); // it was whole by then
    expect({ code, err: await command.err }).toEqual({ code: 1, err: 'stopped: nothing is left of the backup\n' });
    expect([existsSync(target), existsSync(draft())]).toEqual([false, false]);
    expect(await ask(service.databaseUrl, 'select 1 from pg_replication_slots')).toEqual([]);
  });
});

describe('two backups at once', () => {
  it('are one backup, and one that is refused', async () => {
    const first = Command.start(['backup', target]);
    const second = Command.start(['backup', join(elsewhere, 'other')]);
    const codes = await Promise.all([first.ended(), second.ended()]);
    expect(codes.sort()).toEqual([0, 5]);
    expect((await first.err) + (await second.err)).toContain('another backup');
    for (const made of [target, join(elsewhere, 'other')]) rmSync(made, { recursive: true, force: true });
  });
});

describe('a backup whose service stops', () => {
  it('says so, and leaves nothing', async () => {
    const command = await Command.start(['backup', target]).until(() => existsSync(draft('pg/base/1')));
    await service.letGo();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toContain('PostgreSQL ended during the backup');
    expect([existsSync(target), existsSync(draft())]).toEqual([false, false]);
    expect(await run(['backup', target])).toMatchObject({ code: 0, err: '' }); // without a service
    await assertWhole(target);
    rmSync(target, { recursive: true });
    service = await AnotherProcess.holding(folder, 'service', 'database');
  });
});

const RESTORE_STEPS: [string, (dataDir: string) => boolean][] = [
  ['is begun', (to) => existsSync(join(to, 'lock'))],
  ['has restored the key', (to) => existsSync(join(to, 'master-key'))],
  ['copies files', (to) => draftsOf(to).some((found) => existsSync(join(found, 'base/1')))],
  [
    'is about to end',
    (to) =>
      draftsOf(to).some(
        (found) =>
          existsSync(join(found, 'PG_VERSION')) &&
          existsSync(join(found, 'pg_wal')) &&
          readdirSync(join(found, 'pg_wal')).length > 0,
      ),
  ],
];
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
  ['a folder that PostgreSQL cannot walk to', closedFolder],
])('a restore into %s that is killed', (_, makeFolder) => {
  it.each(RESTORE_STEPS)(
    'when it %s has restored no database, leaves the backup, and can be repeated',
    async (__, hasCome) => {
      const to = makeFolder();
      const command = await Command.start(['restore', backup], to).until(() => hasCome(to));
      await command.end('SIGKILL');
      if (!existsSync(join(to, 'pg'))) expect(await run(['restore', backup], to)).toMatchObject({ code: 0, err: '' });
      expect(draftsOf(to)).toEqual([]);
      await assertRestored(to);
    },
  );

  it('and is stopped by Ctrl-C, leaves no part of a database', async () => {
    const to = makeFolder();
    const command = await Command.start(['restore', backup], to).until(() => draftsOf(to).length > 0);
    expect(await command.end('SIGINT')).toBe(1);
    expect(await command.err).toBe('stopped: no database was restored\n');
    expect(draftsOf(to).filter((found) => existsSync(found))).toEqual([]);
    expect(existsSync(join(to, 'pg'))).toBe(false);
  });
});

const disk = SmallDisk.mount(150);
const onSmallDisk = disk === null ? describe.skip : describe;
afterAll(() => disk?.unmount());

onSmallDisk('a disk without space', () => {
  it('is found out before a backup is begun', async () => {
    const to = join(disk?.path ?? '', 'tuesday');
    disk?.fill();
    const full = await run(['backup', to]);
    expect(full).toMatchObject({ code: 1, err: `cannot write the backup to ${to}: the disk is full` });
    disk?.makeSpace();
    writeFileSync(join(disk?.path ?? '', 'ballast'), Buffer.alloc(90_000_000));
    const small = await run(['backup', to]);
    expect(small).toMatchObject({ code: 5, err: expect.stringMatching(/needs \d+ MB, and its disk has \d+ left/) });
    disk?.makeSpace();
    expect(readdirSync(disk?.path ?? '')).toEqual([]);
  });

  it.each([
    ['files are copied', 'pg/base/1'],
    ['the copy is read', 'pg/postmaster.pid'],
  ])('ends a backup in one sentence, when %s, and gets its space back', async (_, file) => {
    const to = join(disk?.path ?? '', 'tuesday');
    const command = await Command.start(['backup', to]).until(() => existsSync(join(`${to}.unfinished`, file)));
    disk?.fill();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(
      /^(cannot write the backup to .*tuesday: the disk is full|PostgreSQL .*[Nn]o space.*|.*disk is full.*)\n$/,
    );
    disk?.makeSpace();
    expect(readdirSync(disk?.path ?? '')).toEqual([]);
    expect(await ask(service.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('ends a restore, which leaves no part of a database', async () => {
    const to = join(disk?.path ?? '', 'data');
    mkdirSync(to, { mode: 0o711 });
    const command = await Command.start(['restore', backup], to).until(() => draftsOf(to).length > 0);
    disk?.fill();
    expect(await command.ended()).toBe(1);
    expect(await command.err).toMatch(/^cannot restore .*: the disk is full\n$/);
    expect(readdirSync(to).filter((name) => name.startsWith('pg'))).toEqual([]);
    disk?.makeSpace();
    expect(await run(['restore', backup], to)).toMatchObject({ code: 0 });
    await assertRestored(to);
  });
});

describe('a read-only folder', () => {
  it('is said to be one', async () => {
    const refused = await run(['backup', '/proc/tuesday']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^cannot write the backup to \/proc\/tuesday: /);
    expect(dirname(backup)).toBe(elsewhere);
    expect(readFileSync(join(backup, 'manifest.json'), 'utf8')).toContain('"counted": 20000');
  });
});
