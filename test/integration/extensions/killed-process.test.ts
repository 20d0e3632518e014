import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { generateApiKey } from '../../../src/auth/index.js';
import { FakeRegistry } from '../../../src/testing/fake-registry.js';
import { until } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { startServiceProcess, type ServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const EXTENSION = join(import.meta.dirname, '../../support/programs/slow-ledger.mjs');
const NAME = 'lapsing.test';

describe('a change that a process was recording when it was killed', () => {
  let registry: FakeRegistry;
  let database: pg.Client;
  let settings: Readonly<Record<string, string>>;
  const key = generateApiKey().text;
  const started: ServiceProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-ledger-'));

  beforeAll(async () => {
    registry = await FakeRegistry.start();
    const url = await freshDatabase();
    database = new pg.Client(url);
    await database.connect();
    settings = {
      DATABASE_URL: url,
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      SANDBOX: 'false',
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      RDAP_OVERRIDES: `test=${registry.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      CONFIRMATION_SECONDS: '1',
      LEASE_SECONDS: '2',
    };
  });
  afterAll(async () => {
    for (const service of started) await service.kill('SIGKILL');
    await database.end();
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (extra: Readonly<Record<string, string>> = {}) => {
    const service = await startServiceProcess({ ...settings, EXTENSIONS: EXTENSION, ...extra });
    started.push(service);
    return service;
  };
  const rows = async (text: string) => (await database.query<Record<string, unknown>>(text)).rows;
  const statusOf = async () => (await rows('select status from watch_entries'))[0]?.['status'];
  const ledger = () => rows('select domain from slow_ledger_rows');
  const sleepers = () =>
    rows(`select pid from pg_stat_activity where datname = current_database() and query like 'select pg_sleep(%'`);

  it('is recorded by the next process, with its row', async () => {
    const service = await start({ SLOW_LEDGER_SECONDS: '60' });
    registry.register(NAME);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ domain: NAME });
    await fetch(`${service.address}/v1/watchlist`, { method: 'POST', headers, body });
    await until(async () => (await statusOf()) === 'registered');

    registry.release(NAME);
    await database.query('update watched_names set next_check_at = now()');
    await until(async () => (await sleepers()).length === 1);
    await service.kill('SIGKILL');
    // or the server would notice when the statement ends
    await rows(`select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and query like 'select pg_sleep(%'`);
    expect(await statusOf()).toBe('registered');
    expect(await ledger()).toEqual([]);

    await start();
    await until(async () => (await statusOf()) === 'available');
    expect(await ledger()).toEqual([{ domain: NAME }]);
  });

  it.each(['up', 'migrate', 'account list'])(
    'is not missed by a process without the extension: %s refuses',
    async (command) => {
      const { code, err } = await runInProcess(command.split(' '), { ...settings, PORT: '0', DATA_DIR: folder });
      expect(err).toBe(
        'EXTENSIONS: the extension slow-ledger records the changes in this database, and this process lacks it ' +
          '("namewatch migrate --forget-extension slow-ledger" takes it out)',
      );
      expect(code).toBe(78);
    },
  );

  it('is missed on purpose once the extension was forgotten', async () => {
    const env = { ...settings, DATA_DIR: folder };
    const forgotten = await runInProcess(['migrate', '--forget-extension', 'slow-ledger'], env);
    expect(forgotten).toMatchObject({ code: 0, out: expect.stringContaining('slow-ledger is forgotten') });
    expect(await runInProcess(['migrate'], env)).toMatchObject({ code: 0 });
    expect(await ledger()).toHaveLength(1);
  });
});
