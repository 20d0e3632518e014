import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { RedisWithSentinels } from '../../faults/cluster/redis-sentinels.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { readConfig } from '../../../src/config/config.js';
import { checkQueue } from '../../../src/platform/diagnostics.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { startServiceProcess, type ServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000);

const KEY = generateApiKey().text;
const LEASE_SECONDS = 5;

let folder: string;
let postgres: FaultyPostgres;
let redis: RedisWithSentinels;
let service: ServiceProcess;
const lines: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-sentinel-'));
  chmodSync(folder, 0o711);
  [postgres, redis] = await Promise.all([FaultyPostgres.start(folder), RedisWithSentinels.start(folder, 'secret')]);
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: KEY,
    LEASE_SECONDS: String(LEASE_SECONDS),
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOG_LEVEL: 'warn',
  };
  service = await startServiceProcess(settings, (line) => lines.push(line));
});
afterAll(async () => {
  await service.kill('SIGKILL');
  await Promise.all([redis.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const added: string[] = [];
async function add(domain: string): Promise<void> {
  const { status } = await fetch(`${service.address}/v1/watchlist`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain }),
  });
  expect(status).toBe(201);
  added.push(domain);
}
const checked = async () =>
  (await postgres.query<{ domain: string }>('select domain from watched_names where last_checked_at is not null')).map(
    ({ domain }) => domain,
  );
const missing = async () => {
  const names = new Set(await checked());
  return added.filter((name) => !names.has(name));
};

describe('a Redis failover that loses the last writes', () => {
  it('delays checks but loses none, and the service accepts names all the time', async () => {
    let isOver = false;
    const adding = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await add(`load${n}--expiring.test`);
        await pause(20); // a client's pace
      }
    })();
    await eventually(checked, (names) => names.length > 10, 20_000);

    await redis.pauseReplication();
    await pause(1_000); // what is written in this second is lost
    const lostAt = performance.now();
    await redis.losePrimary();
    await eventually(() => redis.isPromoted(), Boolean, 30_000);
    const promotedAt = performance.now();
    await add('after--expiring.test');
    await eventually(checked, (names) => names.includes('after--expiring.test'), 30_000);
    const wokenAt = performance.now();
    isOver = true;
    await adding;
    await eventually(missing, (names) => names.length === 0, 3 * LEASE_SECONDS * 1_000);
    const doneAt = performance.now();

    const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);
    console.info(
      `${added.length} confirmed, 0 lost, promoted after ${seconds(lostAt, promotedAt)} s, woken ` +
        `${seconds(promotedAt, wokenAt)} s later, all checked ${seconds(wokenAt, doneAt)} s later`,
    );
    expect(await fetch(`${service.address}/readyz`)).toMatchObject({ status: 200 });
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});

describe('namewatch doctor', () => {
  const { redisUrl } = { redisUrl: (url: string) => readConfig({ REDIS_URL: url }).redisUrl };

  it('finds the Redis primary through the Sentinels', async () => {
    expect(await checkQueue({ redisUrl: redisUrl(redis.url) })).toMatchObject({ ok: true });
  });

  it('uses TLS to Sentinels and primary, and trusts only the authority named in REDIS_URL', async () => {
    const tlsFolder = mkdtempSync(join(tmpdir(), 'namewatch-sentinel-tls-'));
    const write = (name: string, text: string) => {
      writeFileSync(join(tlsFolder, name), text);
      return join(tlsFolder, name);
    };
    const authority = await CertificateAuthority.create();
    const { cert, key } = await authority.issue(['127.0.0.1']);
    const files = {
      cert: write('server.pem', cert),
      key: write('server.key', key),
      ca: write('ca.pem', authority.cert),
    };
    const secured = await RedisWithSentinels.start(tlsFolder, 'secret', files);
    try {
      expect(await checkQueue({ redisUrl: redisUrl(secured.url) })).toMatchObject({ ok: true });
      const { ok, detail } = await checkQueue({ redisUrl: redisUrl(secured.url.replace(/\?.*/, '')) });
      expect({ ok, detail }).toEqual({ ok: false, detail: expect.stringMatching(/^REDIS_URL: .* cannot be used: /) });
    } finally {
      await secured.stop();
      rmSync(tlsFolder, { recursive: true, force: true });
    }
  });

  it.each([
    [
      'the Sentinels know no such primary',
      (url: string) => url.replace(/namewatch$/, 'other'),
      /know no primary named "other"$/,
    ],
    ['the password is wrong', (url: string) => url.replace('secret', 'wrong'), /refuses the login: WRONGPASS/],
    ['no Sentinel listens', () => 'redis+sentinel://127.0.0.1:1/main', /^REDIS_URL: .*127\.0\.0\.1:1/],
  ])('says that %s', async (_, change, sentence) => {
    const { ok, detail } = await checkQueue({ redisUrl: redisUrl(change(redis.url)) });
    expect({ ok, detail }).toEqual({ ok: false, detail: expect.stringMatching(sentence) });
  });
});
