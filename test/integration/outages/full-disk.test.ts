import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { databaseUrls, freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { eventually } from '../../support/eventually.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { SmallDisk } from '../../support/servers/small-disk.js';

jest.setTimeout(180_000);

/** A new cluster takes about 45 MB. */
const DISK_MEGABYTES = 96;
/** PostgreSQL is started again after 1, 2, 4 and 8 seconds at the latest, recovers, and the service reconnects. */
const RECOVERY = 30_000;
/** The most lines of one outage: those about it, those of refused requests, one for each kind of failed job. */
const MAX_LINES = 40;

const SETTINGS = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off' };
const disk = SmallDisk.mount(DISK_MEGABYTES);
const onSmallDisk = disk === null ? describe.skip : describe;

let service: ServiceProcess;
let metricsPort: number;
let key: string;
const lines: string[] = [];

beforeAll(async () => {
  if (disk === null) return;
  metricsPort = await freePort();
  const settings = { ...SETTINGS, DATA_DIR: disk.path, METRICS_PORT: String(metricsPort), LOG_LEVEL: 'warn' };
  service = await startServiceProcess(settings, (line) => lines.push(line));
  key = read('first-key');
});
afterAll(async () => {
  if (disk === null) return;
  await service.kill('SIGKILL');
  await eventually(
    () => Promise.resolve(isPostmasterAlive()),
    (isAlive) => !isAlive,
    10_000,
  );
  disk.unmount();
});

async function freeMegabytes(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  return Number(/^namewatch_database_disk_free_bytes (\S+)$/m.exec(await answer.text())?.[1]) / 1_024 ** 2;
}

/** Resolves with the reasons of so many ends of PostgreSQL. */
async function endsOfPostgres(atLeast: number): Promise<string[]> {
  const ends = () => lines.filter((line) => line.includes('ended unexpectedly'));
  await eventually(
    () => Promise.resolve(ends().length),
    (count) => count >= atLeast,
    RECOVERY,
  );
  return ends();
}

async function whenReady(): Promise<void> {
  await eventually(
    () => call('/readyz').then(({ status }) => status),
    (status) => status === 200,
    RECOVERY,
  );
}

const read = (name: string) => readFileSync(join(disk?.path ?? '', name), 'utf8').trim();
const databaseUrl = () =>
  databaseUrls({ password: read('pg-password') }, Number(read('pg/postmaster.pid').split('\n')[3])).url;

function isPostmasterAlive(): boolean {
  try {
    return process.kill(Number(read('pg/postmaster.pid').split('\n')[0]), 0);
  } catch {
    return false;
  }
}

async function call(path: string, method = 'GET', body?: object) {
  const answer = await fetch(`${service.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, retryAfter, body: (await answer.json()) as Record<string, unknown> };
}

const add = (domain: string) => call('/v1/watchlist', 'POST', { domain });
const entries = async () => ((await call('/v1/watchlist?per_page=100')).body['data'] ?? []) as Entry[];
interface Entry {
  readonly domain: string;
  readonly status: string;
}

/** Writes to the log of transactions alone, until there is no space for its next file: PostgreSQL then ends itself. */
async function fillTransactionLog(): Promise<void> {
  const client = new pg.Client(databaseUrl());
  client.on('error', () => undefined);
  await client.connect();
  const write = () => client.query(`select pg_logical_emit_message(false, 'test', repeat('x', 1000000))`);
  await expect(
    (async () => {
      for (let megabyte = 0; megabyte < DISK_MEGABYTES; megabyte += 1) await write();
    })(),
  ).rejects.toThrow(/terminated|ECONNRESET|EPIPE/); // as the end of PostgreSQL is noticed
}

onSmallDisk('a service with the embedded PostgreSQL', () => {
  it('answers 503 while the disk is full, and has every confirmed name once there is space', async () => {
    const confirmed = ['before--expiring.test'];
    expect((await add('before--expiring.test')).status).toBe(201);
    expect(await freeMegabytes()).toBeGreaterThan(1);
    const { out } = await runAsProcess(['doctor'], { ...SETTINGS, DATA_DIR: disk?.path ?? '' });
    expect(out).toMatch(/FAIL {2}data .*: its disk has only \d+ MB free, and PostgreSQL stops without space/);
    disk?.fill();
    expect(await freeMegabytes()).toBe(0);
    for (let n = 0; n < 5; n += 1) {
      const { status } = await add(`full${n}--registered.test`);
      if (status === 201) confirmed.push(`full${n}--registered.test`);
      else expect(status).toBe(503);
    }
    expect((await call('/v1/watchlist')).status).toBe(200);

    await fillTransactionLog();
    lines.length = 0;
    const refused = await eventually(
      () => add('refused.test'),
      ({ status }) => status === 503,
    );
    expect(refused).toMatchObject({
      body: { code: 'database_unavailable' },
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    // the fourth restart: each of them failed
    for (const end of await endsOfPostgres(4))
      expect(end).toMatch(/its disk is full: (PANIC|FATAL): .*No space left on device; it is started again in \d+ s/);
    expect(lines.length).toBeLessThan(MAX_LINES);

    disk?.makeSpace();
    await whenReady();
    expect((await add('after--expiring.test')).status).toBe(201);
    confirmed.push('after--expiring.test');
    const checked = await eventually(
      entries,
      (all) => all.find(({ domain }) => domain === 'after--expiring.test')?.status === 'expiring',
      10_000,
    );
    expect(checked.map(({ domain }) => domain)).toEqual(expect.arrayContaining(confirmed));
  });

  it('answers 503 while the disk is read-only, and continues once it is writable', async () => {
    await whenReady();
    lines.length = 0;
    const postmaster = Number(read('pg/postmaster.pid').split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    await eventually(
      () => Promise.resolve(isPostmasterAlive()),
      (isAlive) => !isAlive,
    );
    const readOnly = disk?.makeReadOnly('pg');
    try {
      const refused = await eventually(
        () => add('read-only.test'),
        ({ status }) => status === 503,
      );
      expect(refused.body).toMatchObject({ code: 'database_unavailable' });
      const [, ...ends] = await endsOfPostgres(2);
      for (const end of ends)
        expect(end).toMatch(
          /its disk is read-only: FATAL: .*Read-only file system; it is started again in \d+ s, and so on/,
        );
    } finally {
      readOnly?.end();
    }
    await whenReady();
    expect((await add('writable--expiring.test')).status).toBe(201);
    expect((await entries()).map(({ domain }) => domain)).toContain('after--expiring.test');
  });
});
