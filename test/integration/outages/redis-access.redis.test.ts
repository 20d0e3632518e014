import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { eventually } from '../../support/eventually.js';
import { startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

/** The line of docs/redis.md. */
const RIGHTS =
  'user namewatch on >secret resetkeys ~bull:* ~namewatch:* resetchannels -@all ' +
  '+@read +@write +@connection +@transaction +@scripting -@dangerous +info';

/** The same for each service, because its database has the data key that this key opens. */
const MASTER_KEY = randomBytes(32).toString('base64');

let folder: string;
let admin: Redis;
let postgres: FaultyPostgres;
let stop: () => Promise<unknown>;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-acl-'));
  chmodSync(folder, 0o711);
  port = await freePort();
  const file = join(folder, 'users.acl');
  writeFileSync(file, `user default on >root ~* &* +@all\n${RIGHTS}\n`);
  const options = ['--save', '', '--maxmemory-policy', 'noeviction', '--dir', folder, '--aclfile', file];
  const redis = spawn('redis-server', ['--bind', '127.0.0.1', '--port', String(port), ...options], { stdio: 'ignore' });
  const ended = once(redis, 'exit');
  stop = () => (redis.kill('SIGKILL'), ended);
  admin = new Redis(`redis://:root@127.0.0.1:${port}`);
  admin.on('error', () => undefined); // until it listens
  postgres = await FaultyPostgres.start(folder);
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all([stop(), postgres.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('a Redis user with only the documented rights', () => {
  it('is enough for the service: a new name is checked, and Redis refuses no command', async () => {
    const key = generateApiKey().text;
    const service = await startServiceProcess({
      DATABASE_URL: postgres.url,
      REDIS_URL: `redis://namewatch:secret@127.0.0.1:${port}`,
      MASTER_KEY,
      BOOTSTRAP_API_KEY: key,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ domain: 'woken--expiring.test' });
    await fetch(`${service.address}/v1/watchlist`, { method: 'POST', headers, body });
    const checked = async () =>
      (
        await postgres.query<{ n: number }>(
          'select count(*)::int as n from watched_names where last_checked_at is not null',
        )
      )[0]?.n;
    await eventually(checked, (n) => n === 1, 20_000);
    expect(await fetch(`${service.address}/readyz`)).toMatchObject({ status: 200 });
    await service.kill('SIGINT');
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  it('lets the service see, and warn in the log, that Redis may evict jobs', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const lines: string[] = [];
    const REDIS_URL = `redis://namewatch:secret@127.0.0.1:${port}`;
    const settings = { DATABASE_URL: postgres.url, REDIS_URL, MASTER_KEY };
    const offline = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'warn', ROLE: 'worker' };
    const service = await startServiceProcess({ ...settings, ...offline }, (line) => lines.push(line));
    const warnings = () => lines.filter((line) => line.includes('set maxmemory-policy noeviction, not allkeys-lru'));
    await eventually(
      () => Promise.resolve(warnings().length),
      (n) => n === 1,
      10_000,
    );
    await service.kill('SIGINT');
  });

  it('cannot read other keys or run administrative commands', async () => {
    const user = new Redis(`redis://namewatch:secret@127.0.0.1:${port}`);
    await expect(user.get('other')).rejects.toThrow(/NOPERM/);
    await expect(user.flushall()).rejects.toThrow(/NOPERM/);
    await expect(user.config('SET', 'maxmemory', '1')).rejects.toThrow(/NOPERM/);
    user.disconnect();
  });
});
