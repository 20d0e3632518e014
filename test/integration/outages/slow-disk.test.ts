import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

/** PostgreSQL waits so long before each flush of its log, as it does for a disk that is slow to confirm. */
const FLUSH_MICROSECONDS = 100_000;
const WRITES = 25;

const folder = mkdtempSync(join(tmpdir(), 'namewatch-slow-disk-'));
let service: ServiceProcess;
let key: string;
beforeAll(async () => {
  const settings = { DATA_DIR: folder, RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'warn' };
  service = await startServiceProcess(settings);
  key = readFileSync(join(folder, 'first-key'), 'utf8').trim();
});
afterAll(async () => {
  await service.kill('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

function slowFlushes(): void {
  const lines = [`commit_delay = ${FLUSH_MICROSECONDS}`, 'commit_siblings = 0', ''].join('\n');
  appendFileSync(join(folder, 'pg/postgresql.auto.conf'), lines);
  process.kill(Number(readFileSync(join(folder, 'pg/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGHUP');
}

async function call(path: string, body?: object) {
  const answer = await fetch(`${service.address}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as { data?: { status: string }[] } };
}

/** Adds names one after the other; returns the median duration in milliseconds. */
async function addNames(prefix: string): Promise<number> {
  const durations: number[] = [];
  for (let n = 0; n < WRITES; n += 1) {
    const startedAt = performance.now();
    expect((await call('/v1/watchlist', { domain: `${prefix}${n}--expiring.test` })).status).toBe(201);
    durations.push(performance.now() - startedAt);
  }
  return durations.sort((one, other) => one - other)[Math.floor(WRITES / 2)] ?? NaN;
}

const checked = async () => {
  const { body } = await call('/v1/watchlist?status=expiring&per_page=100');
  return body.data?.length ?? 0;
};

describe('a disk that is slow to confirm', () => {
  it('makes each write as much slower, and refuses none', async () => {
    const usualMs = await addNames('usual');
    await eventually(checked, (n) => n === WRITES);
    slowFlushes();
    await call('/v1/watchlist', { domain: 'first.test' }); // sessions read the setting before their next statement
    const startedAt = performance.now();
    const slowMs = await addNames('slow');
    await eventually(checked, (n) => n === 2 * WRITES, 30_000);
    const allMs = performance.now() - startedAt;
    console.info(
      `a write took ${usualMs.toFixed(0)} ms, then ${slowMs.toFixed(0)} ms; ${WRITES} were checked after ${(allMs / 1_000).toFixed(1)} s`,
    );
    expect(slowMs).toBeGreaterThan(100);
    expect(slowMs).toBeLessThan(500);
  });
});
