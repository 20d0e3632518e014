import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { serviceDatabase, startTestService, type TestService } from '../../support/servers/test-service.js';
import { TcpProxy } from '../../support/fakes/tcp-proxy.js';

const missing = `/v1/watchlist/wl_${'0'.repeat(26)}`;

describe('while its database is unavailable', () => {
  let proxy: TcpProxy;
  let service: TestService;

  beforeAll(async () => {
    const url = new URL(await serviceDatabase());
    proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    service = await startTestService({ DATABASE_URL: url.href, DATABASE_POOL: '2' });
  });
  afterAll(async () => {
    proxy.heal();
    await service.close();
    await proxy.close();
  });

  const add = (domain: string) => service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });

  it('the service reports it, writes nothing, and continues when it is back', async () => {
    expect((await add('before.test')).status).toBe(201);
    proxy.cut();
    const refused = await add('during.test');
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String) },
      body: { code: 'database_unavailable', retryable: true },
    });
    expect(JSON.stringify(refused.body)).not.toMatch(/ECONN|select|insert|Connection/);
    expect(await service.call({ path: '/v1/watchlist' })).toMatchObject({ status: 503 });
    expect((await service.call({ path: '/readyz', key: null })).body).toMatchObject({
      code: 'not_ready',
      checks: { database: 'unavailable' },
    });
    expect((await service.call({ path: '/livez', key: null })).status).toBe(200);

    proxy.heal();
    await eventually(
      () => add('after.test'),
      ({ status }) => status === 201,
    );
    const { body } = await service.call({ path: '/v1/watchlist' });
    expect((body['data'] as { domain: string }[]).map(({ domain }) => domain)).toEqual(['after.test', 'before.test']);
    await eventually(
      () => service.call({ path: '/readyz', key: null }),
      ({ status }) => status === 200,
    );
  });

  it('the pool loses no connection, however often that happens', async () => {
    for (let outage = 0; outage < 4; outage += 1) {
      proxy.cut();
      const refused = await Promise.all([add('x.test'), add('y.test'), add('z.test')]);
      expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
      proxy.heal();
      await eventually(
        () => service.call({ method: 'DELETE', path: missing }),
        ({ status }) => status === 404,
      );
    }
  });

  it('and checks continue by themselves afterwards', async () => {
    proxy.cut();
    await eventually(
      () => service.call({ path: '/readyz', key: null }),
      ({ status }) => status === 503,
    );
    proxy.heal();
    await eventually(
      () => add('expiring.test'),
      ({ status }) => status === 201,
    );
    const statusOf = async () => {
      const { body } = await service.call({ path: '/v1/watchlist?status=expiring' });
      return ((body['data'] ?? []) as { domain: string }[]).map(({ domain }) => domain);
    };
    expect(await eventually(statusOf, (names) => names.length > 0, 15_000)).toEqual(['expiring.test']);
  });
});
