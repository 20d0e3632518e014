import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { eventually } from '../../support/eventually.js';
import { startRedis } from '../../support/servers/redis-server.mjs';
import { startServiceProcess, type ServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

const KEY = generateApiKey().text;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-rotation-'));
const file = (name: string) => join(folder, name);

let postgres: FaultyPostgres;
let redis: Awaited<ReturnType<typeof startRedis>>;
let admin: Redis;
let service: ServiceProcess;
beforeAll(async () => {
  chmodSync(folder, 0o711);
  postgres = await FaultyPostgres.start(folder);
  redis = await startRedis('redis-server', ['--requirepass', 'first']);
  admin = new Redis(redis.url, { password: 'first' });
  writeFileSync(file('database'), postgres.url);
  writeFileSync(file('redis'), redisUrl('first'));
  service = await startServiceProcess({
    DATABASE_URL_FILE: file('database'),
    REDIS_URL_FILE: file('redis'),
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: KEY,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOG_LEVEL: 'fatal',
  });
});
afterAll(async () => {
  await service.kill('SIGKILL');
  admin.disconnect();
  await Promise.all([redis.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const redisUrl = (password: string) => redis.url.replace('redis://', `redis://:${password}@`);
const databaseUrl = (password: string) => Object.assign(new URL(postgres.url), { password }).href;

const acknowledged: string[] = [];
const refusals = new Set<string>();
async function add(domain: string): Promise<number> {
  const answer = await fetch(`${service.address}/v1/watchlist`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain }),
  });
  const { code } = (await answer.json()) as { code?: string };
  if (answer.status === 201) acknowledged.push(domain);
  else refusals.add(`${answer.status} ${code}`);
  return answer.status;
}
const checked = async () =>
  (await postgres.query<{ domain: string }>('select domain from watched_names where last_checked_at is not null')).map(
    ({ domain }) => domain,
  );

describe('a database or Redis password changed at runtime', () => {
  it('is read again from its file without a restart, and no confirmed name is lost', async () => {
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await add(`load${n}--expiring.test`);
        await pause(20); // a client's pace
      }
    })();
    await eventually(checked, (names) => names.length > 0, 20_000);

    await postgres.query(`do $$ begin execute format('alter role %I password %L', current_user, 'second'); end $$`);
    await postgres.hangUp();
    await eventually(() => Promise.resolve(refusals.size), Boolean, 10_000);
    writeFileSync(file('database'), databaseUrl('second'));
    const replacedAt = performance.now();
    const before = acknowledged.length;
    await eventually(
      () => Promise.resolve(acknowledged.length),
      (n) => n > before,
      10_000,
    );
    const databaseMs = performance.now() - replacedAt;

    await admin.config('SET', 'requirepass', 'second');
    writeFileSync(file('redis'), redisUrl('second'));
    await admin.call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'yes');
    await eventually(
      async () => (await fetch(`${service.address}/readyz`)).status,
      (status) => status === 200,
      10_000,
    );
    isOver = true;
    await writing;
    const all = await eventually(checked, (names) => acknowledged.every((name) => names.includes(name)), 30_000);

    console.info(
      `${acknowledged.length} confirmed, ${all.length} checked, writes again after ${Math.round(databaseMs)} ms`,
    );
    expect([...refusals]).toEqual(['503 database_unavailable']);
  });
});
