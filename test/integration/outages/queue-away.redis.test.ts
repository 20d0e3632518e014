import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/service.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { testRedis } from '../../support/test-redis.js';

describe('with its Redis away', () => {
  let proxy: TcpProxy;
  let service: TestService;

  beforeAll(async () => {
    const url = new URL(testRedis());
    proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    service = await startTestService({ REDIS_URL: url.href, LEASE_SECONDS: '2' });
  });
  afterAll(async () => {
    proxy.heal();
    await service.close();
    await proxy.close();
  });

  const add = (domain: string) => service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
  const expiring = async () => {
    const { body } = await service.call({ path: '/v1/watchlist?status=expiring' });
    return (body['data'] as { domain: string }[]).map(({ domain }) => domain).sort();
  };

  it('the service still takes what it is given, and looks when it is back', async () => {
    await add('a--expiring.test');
    await eventually(expiring, (names) => names.length === 1);
    proxy.cut();
    await eventually(
      () => service.call({ path: '/readyz', key: null }),
      ({ status }) => status === 503,
    );
    expect((await add('b--expiring.test')).status).toBe(201);
    expect(await expiring()).toEqual(['a--expiring.test']);
    proxy.heal();
    expect(await eventually(expiring, (names) => names.length === 2, 15_000)).toContain('b--expiring.test');
  });

  it('nothing is lost when every job is', async () => {
    const redis = new Redis(testRedis());
    await add('c--expiring.test');
    await redis.flushdb();
    await add('d--expiring.test');
    await eventually(expiring, (names) => names.length === 4, 15_000);
    await redis.quit();
  });
});
