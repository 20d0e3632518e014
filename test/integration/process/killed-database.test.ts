import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { databaseUrls } from '../../../src/process/postgres/embedded-postgres.js';
import { askDatabase } from '../../support/database/database.js';
import { eventually } from '../../support/eventually.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { openFolder, removeFolders } from './temporary-folders.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const WRITERS = 4;
/** The pause before a restart, recovery, and reconnecting. */
const RESTART = 30_000;

const folder = openFolder();
let service: ServiceProcess;
let key: string;
const lines: string[] = [];

beforeAll(async () => {
  const settings = { DATA_DIR: folder, RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'error' };
  service = await startServiceProcess(settings, (line) => lines.push(line));
  key = read('first-key');
});
afterAll(async () => {
  await service.kill('SIGKILL');
  removeFolders();
});

const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
const postmaster = () => Number(read('pg/postmaster.pid').split('\n')[0]);
const databaseUrl = () =>
  databaseUrls({ password: read('pg-password') }, Number(read('pg/postmaster.pid').split('\n')[3])).url;

async function call(path: string, method = 'GET', body?: object) {
  const answer = await fetch(`${service.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as Record<string, unknown>,
  };
}

/** A connection that was kept for long may be closed by the service just as it is used again. */
const isReady = () =>
  call('/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );

/** Adds names, one after the other, until it is told to stop; what was answered comes back. */
async function write(writer: number, stop: AbortSignal) {
  const added: string[] = [];
  const refused: { status: number; code: unknown; retryAfter: string | null }[] = [];
  for (let n = 0; !stop.aborted; n += 1) {
    const domain = `w${writer}n${n}--registered.test`;
    const { status, retryAfter, body } = await call('/v1/watchlist', 'POST', { domain });
    if (status === 201) added.push(domain);
    else refused.push({ status, code: body['code'], retryAfter });
  }
  return { added, refused };
}

const COMPUTE = `do $$ begin while clock_timestamp() < now() + interval '1 minute' loop end loop; end $$`;

/** A statement that computes and never waits: its backend does not notice that its server is gone. */
async function busyBackend(): Promise<void> {
  const client = new pg.Client(databaseUrl());
  client.on('error', () => undefined);
  await client.connect();
  client.query(COMPUTE).catch(() => undefined);
}

const countEnds = () => lines.filter((line) => line.includes('PostgreSQL ended unexpectedly')).length;

async function watchedNames(): Promise<string[]> {
  const rows = await askDatabase<{ domain: string }>(databaseUrl(), 'select domain from watch_entries');
  return rows.map(({ domain }) => domain);
}

describe('a service whose embedded PostgreSQL is killed', () => {
  it('restarts PostgreSQL, answers 503 meanwhile, and keeps every confirmed name', async () => {
    const stop = new AbortController();
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer, stop.signal));
    for (const kills of [1, 2]) {
      await busyBackend();
      const killed = postmaster();
      process.kill(killed, 'SIGKILL');
      await eventually(
        () => call('/readyz'),
        ({ body }) => (body['checks'] as Record<string, unknown>)['database'] === 'unavailable',
      );
      if (kills === 2)
        expect(await runAsProcess(['up'], { DATA_DIR: folder, PORT: '0' })).toMatchObject({
          code: 1,
          err: `already running (pid ${service.pid}) at ${service.address}`,
        });
      await eventually(isReady, Boolean, RESTART);
      expect(postmaster()).not.toBe(killed);
      expect(countEnds()).toBe(kills);
    }
    stop.abort();
    const answers = await Promise.all(writing);

    expect(answers.flatMap(({ added }) => added).length).toBeGreaterThan(0);
    expect(await watchedNames()).toEqual(expect.arrayContaining(answers.flatMap(({ added }) => added)));
    const refused = answers.flatMap((answer) => answer.refused);
    expect(refused.length).toBeGreaterThan(0);
    for (const refusal of refused)
      expect(refusal).toEqual({
        status: 503,
        code: 'database_unavailable',
        retryAfter: expect.stringMatching(/^\d+$/),
      });
    expect(lines.join('\n')).toContain('it was killed by SIGKILL; it is started again in 1 s');
  });

  it('exits within 15 seconds if it is stopped while PostgreSQL restarts', async () => {
    process.kill(postmaster(), 'SIGKILL');
    await eventually(isReady, (ready) => !ready);
    // BullMQ takes the listeners from its connection before it ends it: PostgreSQL must have ended it by then.
    await eventually(
      () => Promise.resolve(countEnds()),
      (ends) => ends === 3,
    );
    const asked = performance.now();
    expect(await service.kill('SIGINT')).toBe(0);
    expect(performance.now() - asked).toBeLessThan(15_000); // DRAIN_SECONDS is 20
  });
});
