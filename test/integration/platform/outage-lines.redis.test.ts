import { expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyRedis } from '../../faults/cluster/redis.js';
import { serviceDatabase } from '../../support/servers/test-service.js';
import { eventually } from '../../support/eventually.js';
import { startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000); // a whole process starts, also on a busy machine

/** Lines that a person must read about one Redis: away, what is done meanwhile, and back. */
const FEW = 10;

it('a Redis outage is logged in ten warnings at most, and one line at its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-redis-'));
  const redis = await FaultyRedis.start(folder);
  const lines: string[] = [];
  const service = await startServiceProcess(
    {
      DATABASE_URL: await serviceDatabase({ REDIS_URL: redis.url }),
      MASTER_KEY: randomBytes(32).toString('base64'),
      REDIS_URL: redis.url,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      LOG_LEVEL: 'info',
    },
    (line) => lines.push(line),
  );
  const said = (words: string) => lines.filter((line) => line.includes(words));
  const until = (words: string) =>
    eventually(
      () => Promise.resolve(said(words)),
      (found) => found.length > 0,
    );
  try {
    let probes = 0; // each queries Redis again
    const outage = async () => {
      const killed = performance.now();
      await until('Redis is unavailable');
      const probe = async () => {
        const answer = await (await fetch(`${service.address}/readyz`)).text();
        if (answer.includes('"queue":"unavailable"')) probes += 1;
      };
      await eventually(probe, () => performance.now() - killed > 9_000, 30_000);
    };
    await redis.away(outage());
    expect(probes).toBeGreaterThan(5);
    await until('Redis is back');
    expect(said('Redis is unavailable')).toHaveLength(1);
    expect(said('Redis is back')).toEqual([expect.stringMatching(/"Redis is back after [\d.]+ s, \d+ failures"/)]);
    expect(lines.filter((line) => line.includes('"level":"warn"')).length).toBeLessThanOrEqual(FEW);
  } finally {
    await service.kill('SIGINT');
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
