import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { TcpProxy } from '../../support/fakes/tcp-proxy.js';
import { preload } from '../../support/programs/preload/preload.js';
import { startServiceProcess } from '../../support/servers/service-process.js';
import { testRedis } from '../../support/servers/test-redis.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

describe('a worker that Redis gives no jobs', () => {
  const settings = { MASTER_KEY: randomBytes(32).toString('base64'), LEASE_SECONDS: '3', REDIS_URL: testRedis() };
  let api: TestService;
  let scheduler: TestService;
  beforeAll(async () => {
    api = await startTestService({ ...settings, ROLE: 'api' });
    scheduler = await startTestService({ ...settings, ROLE: 'scheduler', DATABASE_URL: api.databaseUrl });
  });
  afterAll(async () => {
    await scheduler.close();
    await api.close();
  });

  it('ends with code 1 when names are due, so that its supervisor starts another', async () => {
    const url = new URL(testRedis());
    const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const offline = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', DRAIN_SECONDS: '1' };
    const deaf = await startServiceProcess({
      ...settings,
      ...offline,
      DATABASE_URL: api.databaseUrl,
      ROLE: 'worker',
      REDIS_URL: url.href,
      NODE_OPTIONS: preload('fast-watchdog'),
    });
    proxy.silence(); // for this worker alone: the scheduler reaches Redis
    await api.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'left--expiring.test' } });
    await api.query(`update watched_names set next_check_at = now() - interval '2 minutes'`);
    expect(await deaf.ended).toBe(1);
    await proxy.close();
  });
});
