import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { checkMail } from '../../../src/platform/diagnostics.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { MailCatcher } from '../../world/mailbox.js';
import { freshDatabase } from '../../support/database/database.js';
import { StartedCommand } from '../../support/programs/shell.js';
import { AnotherProcess } from '../process/holders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const folder = mkdtempSync(join(tmpdir(), 'namewatch-doctor-'));
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const quiet = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'silent', PORT: '0' };

let taken: Server;
let settings: Record<string, string>;
beforeAll(async () => {
  writeFileSync(join(folder, 'file'), '');
  taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const DATABASE_URL = await freshDatabase();
  settings = { ...quiet, DATABASE_URL, MASTER_KEY: keyOf(1), DATA_DIR: join(folder, 'data') };
});
afterAll(async () => {
  await AnotherProcess.endAll();
  taken.close();
  rmSync(folder, { recursive: true, force: true });
});

async function doctor(changes: Record<string, string> = {}) {
  const { code, out } = await runInProcess(['doctor', '--json'], { ...settings, ...changes });
  expect(out).not.toContain(settings['MASTER_KEY']);
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  const detail = (check: string) => findings.find((finding) => finding.check === check)?.detail;
  return { code, ok, failed: findings.filter((finding) => !finding.ok).map(({ check }) => check), detail };
}

async function change(text: string): Promise<void> {
  const client = new pg.Client(settings['DATABASE_URL']);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const MAIL = { MAIL_FROM: 'alerts@example.com', PUBLIC_URL: 'https://watch.example.com' };
const GONE = {
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'namewatch',
  OIDC_CLIENT_SECRET: 'hush',
  PUBLIC_URL: 'https://watch.example.com',
};
const takenPort = () => String((taken.address() as AddressInfo).port);

describe('namewatch doctor', () => {
  it('finds no problem in an unused database, and applies no migrations', async () => {
    const found = await doctor();
    expect(found).toMatchObject({ code: 0, ok: true, failed: [] });
    expect(found.detail('migrations')).toMatch(/^\d+ to be applied at the next start$/);
    expect(found.detail('service')).toBe('not running');
    expect(found.detail('database')).toMatch(/^PostgreSQL 18/);
    expect((await doctor()).detail('migrations')).toBe(found.detail('migrations'));
  });

  it('says that a folder contains no data, and creates nothing in that folder', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const path of [empty, join(empty, 'missing')]) {
      for (const DATABASE_URL of ['', settings['DATABASE_URL'] ?? '']) {
        const found = await doctor({ DATA_DIR: path, DATABASE_URL });
        expect(found).toMatchObject({ code: 0, failed: [] });
        expect(found.detail('data')).toBe(`no data in ${path}: wrong folder, or not started yet`);
        expect(found.detail('ports')).toMatch(/^PORT takes a free port/);
        expect(found.detail('database') === undefined).toBe(DATABASE_URL === '');
      }
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  it('creates no database in a folder where the first start failed', async () => {
    const started = join(folder, 'started');
    const up = await runInProcess(['up'], { ...settings, DATABASE_URL: '', DATA_DIR: started, PORT: takenPort() });
    expect(up.code).toBe(78);
    const before = readdirSync(started);
    const found = await doctor({ DATA_DIR: started, DATABASE_URL: '' });
    expect(found.detail('data')).toMatch(/^no data in /);
    expect(readdirSync(started)).toEqual(before);
  });

  it.each<[string, () => Record<string, string>, string, RegExp]>([
    ['a port that is taken', () => ({ PORT: takenPort() }), 'ports', /^PORT: 127\.0\.0\.1:\d+ is already in use/],
    ['a metrics port that is taken', () => ({ METRICS_PORT: takenPort() }), 'ports', /^METRICS_PORT: /],
    [
      'a HOST that is no address of this machine',
      () => ({ HOST: '192.0.2.7' }),
      'ports',
      /^HOST: 192\.0\.2\.7 is not an address/,
    ],
    ['a data folder below a file', () => ({ DATA_DIR: join(folder, 'file/below') }), 'data', /file is not a folder$/],
    [
      'a database that cannot be reached',
      () => ({ DATABASE_URL: 'postgres://127.0.0.1:1/x' }),
      'database',
      /^DATABASE_URL: /,
    ],
    ['a provider that does not answer', () => GONE, 'sign-in', /^127\.0\.0\.1:1: fetch failed: .*refused|bad port/],
  ])('reports this problem and exits with 1: %s', async (_, changes, check, detail) => {
    const found = await doctor(changes());
    expect(found).toMatchObject({ code: 1, ok: false, failed: [check] });
    expect(found.detail(check)).toMatch(detail);
  });

  it('says at which address Redis does not answer, without the password, and what to do', async () => {
    const found = await doctor({ REDIS_URL: 'redis://:hidden@127.0.0.1:1' });
    expect(found).toMatchObject({ code: 1, failed: ['queue'] });
    expect(found.detail('queue')).toBe(
      'REDIS_URL: nothing is listening at 127.0.0.1:1 (connection refused): ' +
        'start Redis, or unset REDIS_URL to queue in PostgreSQL',
    );
  });

  it('reports a master key that cannot decrypt the stored secrets', async () => {
    expect((await runInProcess(['account', 'create', '--name', 'x'], settings)).code).toBe(0);
    const found = await doctor({ MASTER_KEY: keyOf(2) });
    expect(found).toMatchObject({ code: 1, failed: ['master key'] });
    expect(found.detail('master key')).toMatch(
      /^MASTER_KEY: the secrets of this database need the master key [0-9a-f]{8}: set it, or add it to MASTER_KEY_PREVIOUS$/,
    );
    expect((await doctor()).detail('master key')).toBe('opens every stored secret');
  });

  it('reports a database that a later version has migrated', async () => {
    await change(`insert into mikro_orm_migrations (name) values ('Migration20991231000000')`);
    const found = await doctor();
    expect(found).toMatchObject({ code: 1, failed: ['migrations'] });
    expect(found.detail('migrations')).toContain('the database is newer than this version of Namewatch');
    await change(`delete from mikro_orm_migrations where name = 'Migration20991231000000'`);
  });

  it('reports a killed service as not running, although its files remain in the folder', async () => {
    const killed = await AnotherProcess.holding(settings['DATA_DIR'] ?? '', 'service');
    await killed.kill();
    writeFileSync(join(settings['DATA_DIR'] ?? '', 'address'), 'http://127.0.0.1:1');
    expect((await doctor()).detail('service')).toBe('not running');
    rmSync(join(settings['DATA_DIR'] ?? '', 'address'));
  });

  it('reports that the running service has no mail settings although this shell has them', async () => {
    const shell = readConfig({ ...MAIL, SMTP_URL: 'smtp://user:hidden@relay.test:2525' });
    expect(await checkMail(shell, null)).toEqual({
      check: 'mail',
      ok: false,
      detail: 'the running service has no SMTP_URL, other than this shell (relay.test:2525): restart it with it',
    });
  });

  it('shows the running service, its role and its readiness, and tests only the mail relay of that service', async () => {
    const relay = await MailCatcher.start();
    const mail = { SMTP_URL: relay.url, MAIL_FROM: 'alerts@example.com', HOST: '0.0.0.0' };
    const warning = 'PUBLIC_URL is not set: links that confirm an address lead to http://127.0.0.1';
    expect((await doctor(mail)).detail('mail')).toMatch(new RegExp(`^127\\.0\\.0\\.1 takes mail; warning: ${warning}`));
    expect((await doctor({ ...mail, PUBLIC_URL: 'https://names.example' })).detail('mail')).toMatch(/takes mail$/);
    const service = await StartedCommand.by(
      'node bin/namewatch.mjs up',
      { ...settings, ...mail, LOG_LEVEL: 'warn' },
      /^Namewatch ready/,
    );
    expect(service.lines.filter((line) => line.includes(warning))).toHaveLength(1);
    const found = await doctor({ ...mail, PORT: takenPort() }); // its own port is no trouble
    expect(found.detail('service')).toBe(`running at ${service.address}, role all, ready`);
    expect(found).toMatchObject({ code: 0, failed: [] });
    const otherShell = await doctor({ SMTP_URL: 'smtp://user:hidden@relay.test:2525', ...MAIL });
    expect(otherShell.failed).toEqual([]);
    expect(otherShell.detail('mail')).toBe(
      `the running service sends by ${new URL(relay.url).host}; this shell has relay.test:2525, so it was not asked`,
    );
    await service.stop();
    await relay.close();
  });
});
