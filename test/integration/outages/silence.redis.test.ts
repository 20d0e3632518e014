import { afterEach, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';
import { TcpProxy } from '../../support/fakes/tcp-proxy.js';
import { testRedis } from '../../support/servers/test-redis.js';

let proxy: TcpProxy;
let service: TestService;
afterEach(async () => {
  await service.close();
  await proxy.close();
});

const add = (domain: string) => service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
const expiring = async () => {
  const { body } = await service.call({ path: '/v1/watchlist?status=expiring' });
  return (body['data'] as { domain: string }[]).map(({ domain }) => domain).sort();
};

describe('a silent Redis', () => {
  it('delays no tick: claims are released, and checked when it responds again', async () => {
    const url = new URL(testRedis());
    proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    service = await startTestService({ REDIS_URL: url.href, LEASE_SECONDS: '600' });
    await add('a--expiring.test');
    await eventually(expiring, (names) => names.length === 1);
    proxy.silence();
    await add('b--expiring.test');
    const queue = service.app.get<Queue>(getQueueToken('deliveries'), { strict: false });
    await expect(queue.add('one', {})).rejects.toThrow(/timed out/);
    proxy.heal();
    expect(await eventually(expiring, (names) => names.length === 2, 15_000)).toContain('b--expiring.test');
  }, 40_000);
});
