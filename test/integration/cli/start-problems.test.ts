import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runInProcess, runAsProcess, type CommandResult } from '../../support/programs/command-line.js';
import { freshDatabase } from '../../support/database/database.js';
import { Listening } from '../../world/listening.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

type Settings = Readonly<Record<string, string>>;

const folder = mkdtempSync(join(tmpdir(), 'namewatch-problems-'));
const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
const { PATH = '' } = process.env;
const base = {
  PATH,
  DATA_DIR: join(folder, 'data'),
  PORT: '0',
  RDAP_BOOTSTRAP_URL: 'off',
  DNS_SERVERS: 'off',
};
const withUrl = (DATABASE_URL: string) => ({ DATABASE_URL, MASTER_KEY });

let taken: Listening;
let silent: Listening;
let url: URL;
let newer: string;
let earlier: string;
beforeAll(async () => {
  taken = await Listening.on(createServer((socket) => void socket.destroy()));
  silent = await Listening.on(createServer());
  writeFileSync(join(folder, 'file'), '');
  url = new URL(await freshDatabase());
  newer = await databaseMigratedBy('Migration20991231000000');
  earlier = await databaseMigratedBy('Migration20261123000620Delegations');
});
afterAll(async () => {
  for (const server of [taken, silent]) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function databaseMigratedBy(migration: string): Promise<string> {
  const database = await freshDatabase();
  const client = new pg.Client(database);
  await client.connect();
  await client.query('create table mikro_orm_migrations (id serial, name text, executed_at timestamptz)');
  await client.query(`insert into mikro_orm_migrations (name) values ($1)`, [migration]);
  await client.end();
  return database;
}

async function tablesIn(database: string): Promise<number> {
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ count: number }>(`select count(*)::int from pg_class
    where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`);
  await client.end();
  return rows[0]?.count ?? NaN;
}

const changed = (change: (copy: URL) => void) => {
  const copy = new URL(url);
  change(copy);
  return withUrl(copy.href);
};

/** The problem, the settings that cause it, and the one sentence that says so. */
const DATABASE: [string, () => Settings, RegExp][] = [
  [
    'nothing listens at its address',
    () => withUrl('postgres://watch:pw@127.0.0.1:1/namewatch'),
    /^DATABASE_URL: nothing is listening at 127\.0\.0\.1:1 \(connection refused\)$/,
  ],
  [
    'its host name is unknown',
    () => withUrl('postgres://watch:pw@db.invalid/namewatch'),
    /^DATABASE_URL: the host name db\.invalid cannot be resolved$/,
  ],
  [
    'the password is wrong',
    () => changed((copy) => (copy.password = 'wrong')),
    /^DATABASE_URL: 127\.0\.0\.1:\d+ refuses the user "\w+": password authentication failed for user "\w+"$/,
  ],
  [
    'the user is unknown',
    () => changed((copy) => (copy.username = 'stranger')),
    /^DATABASE_URL: 127\.0\.0\.1:\d+ refuses the user "stranger": /,
  ],
  [
    'there is no such database',
    () => changed((copy) => (copy.pathname = '/missing')),
    /^DATABASE_URL: there is no database "missing" at 127\.0\.0\.1:\d+: create it, or name another$/,
  ],
  [
    'the server has no TLS',
    () => changed((copy) => copy.searchParams.set('sslmode', 'require')),
    /^DATABASE_URL: 127\.0\.0\.1:\d+ does not offer TLS: /,
  ],
  [
    'its TLS file is missing',
    () => changed((copy) => copy.searchParams.set('sslrootcert', '/missing/ca.pem')),
    /^DATABASE_URL: cannot read its TLS file \/missing\/ca\.pem: /,
  ],
  [
    'the server at its address is not PostgreSQL',
    () => withUrl(`postgres://watch:pw@127.0.0.1:${taken.port}/namewatch`),
    /^DATABASE_URL: 127\.0\.0\.1:\d+ ended the connection: is it PostgreSQL\?$/,
  ],
  [
    'the database was made before 1.0',
    () => withUrl(earlier),
    /^DATABASE_URL: the database was made by a version before 1\.0: .*"namewatch export .*"namewatch import /,
  ],
  [
    'the database was migrated by a later version',
    () => withUrl(newer),
    /^DATABASE_URL: the database is newer than this version of Namewatch: .*Migration20991231000000; start .* or restore the backup/,
  ],
];

function expectOneSentence({ code, err, out }: CommandResult, sentence: RegExp): void {
  expect(err).toMatch(sentence);
  expect(err.split('\n')).toHaveLength(1);
  expect(`${out}${err}`).not.toMatch(/\bat .*:\d+:\d+/); // a stack trace, in the log or on the terminal
  expect(code).toBe(78);
}

describe('a command that uses the database', () => {
  it.each(DATABASE)('says in one sentence what is wrong with DATABASE_URL: %s', async (_, settings, sentence) => {
    for (const words of [['migrate'], ['key', 'revoke', 'key_0']])
      expectOneSentence(await runInProcess(words, { ...base, ...settings() }), sentence);
  });

  it.each([
    { words: ['account', 'create', '--name', 'x'] },
    { words: ['account', 'change', 'acc_0', '--plan', 'pro'] },
    { words: ['key', 'list', '--account', 'acc_0'] },
  ])('reports an unreachable database in one sentence for the command $words', async ({ words }) => {
    const settings = { ...base, ...withUrl('postgres://watch:pw@127.0.0.1:1/namewatch') };
    expectOneSentence(await runInProcess(words, settings), /^DATABASE_URL: nothing is listening at /);
  });

  it('says in one sentence that the database server does not answer in time', async () => {
    const settings = { ...base, ...withUrl(`postgres://watch:pw@127.0.0.1:${silent.port}/namewatch`) };
    expectOneSentence(
      await runInProcess(['migrate'], settings),
      /^DATABASE_URL: 127\.0\.0\.1:\d+ does not answer in time$/,
    );
  });
});

/** The same failure as Nest, or the log as an error, would report it. */
const OTHER_REPORT = /EADDRINUSE|ENOTFOUND|\[Nest\]|"level":"error"|ERROR/;

describe('namewatch up', () => {
  /** A PostgreSQL that runs: one of its own, which takes a while, is started and stopped by the first of these only. */
  const there = () => withUrl(url.href);
  const OTHERS: [string, () => Settings, RegExp][] = [
    [
      'HOST is an unknown host name',
      () => ({ ...there(), HOST: 'api.invalid' }),
      /^HOST: the host name api\.invalid cannot be resolved$/,
    ],
    [
      'HOST is an address of another machine',
      () => ({ ...there(), HOST: '192.0.2.7' }),
      /^HOST: 192\.0\.2\.7 is not an address of this machine$/,
    ],
    ['DATA_DIR is a file', () => ({ DATA_DIR: join(folder, 'file') }), /^DATA_DIR: \S+\/file is not a folder$/],
    ['DATA_DIR cannot be made', () => ({ DATA_DIR: '/proc/namewatch' }), /^DATA_DIR: cannot make \/proc\/namewatch: /],
    [
      'a file named in the settings is missing',
      () => ({ WEBHOOK_CA_FILE: '/missing/ca.pem' }),
      /^WEBHOOK_CA_FILE: cannot read \/missing\/ca\.pem: no such file$/,
    ],
  ];

  /**
   * The service and its log are loaded by the time that these are met: a process of its own shows all that it says. Neither
   * may pass while a start waits.
   */
  const FIRST_AND_LAST = [...DATABASE.slice(2, 3), ...DATABASE.slice(-1)];

  it.each(FIRST_AND_LAST)(
    'prints one sentence about the database, and no error log, if %s',
    async (_, settings, sentence) => {
      const result = await runAsProcess(['up'], { ...base, ...settings() });
      expectOneSentence(result, sentence);
      expect(result.out).not.toMatch(OTHER_REPORT);
    },
  );

  it.each(OTHERS)('says in one sentence which setting is wrong if %s', async (_, settings, sentence) => {
    const result = await runInProcess(['up'], { ...base, ...settings() });
    expectOneSentence(result, sentence);
    expect(result.out).toBe('');
  });

  it.each([
    { port: 'PORT', settings: { LOG_FORMAT: 'pretty' }, run: runAsProcess },
    { port: 'METRICS_PORT', settings: { ROLE: 'worker' }, run: runInProcess },
  ])('creates no table and logs nothing if the port in $port is taken', async ({ port, settings, run }) => {
    const unused = await freshDatabase();
    const env = { ...base, ...withUrl(unused), ...settings, LOG_LEVEL: 'debug', [port]: String(taken.port) };
    const result = await run(['up'], env);
    expectOneSentence(result, new RegExp(`^${port}: 127\\.0\\.0\\.1:\\d+ is already in use by another program$`));
    expect(result.out).toBe('');
    expect(await tablesIn(unused)).toBe(0);
  });
});

describe('a command that calls the API', () => {
  it('says in which folder it looked for a running service, and why in that folder', async () => {
    const given = await runInProcess(['watch', 'list'], { DATA_DIR: join(folder, 'empty') });
    expect(given).toMatchObject({ code: 69, err: expect.stringContaining(`${folder}/empty (as DATA_DIR says)`) });
    const forgotten = await runInProcess(['watch', 'list'], { PATH });
    expect(forgotten.err).toContain(`no service is running in ${process.cwd()}/.data (the default, since DATA_DIR`);
  });

  it.each([['check', 'a.test'], ['watch', 'list'], ['export'], ['events', 'tail']])(
    'reports an invalid service address in one sentence: namewatch %s',
    async (...words) => {
      const { code, err } = await runInProcess(words, { ...base, NAMEWATCH_URL: 'localhost:3000', NAMEWATCH_KEY: 'x' });
      expect({ code, err }).toEqual({ code: 78, err: 'NAMEWATCH_URL: localhost:3000 is not an http or https address' });
      const flag = await runInProcess([...words, '--url', 'nonsense'], { ...base, NAMEWATCH_KEY: 'x' });
      expect(flag).toMatchObject({ code: 2, err: '--url: nonsense is not an http or https address' });
    },
  );
});
