import { expect } from '@jest/globals';
import { preload } from '../support/programs/preload/preload.js';
import { TcpProxy } from '../support/fakes/tcp-proxy.js';
import { testRedis } from '../support/servers/test-redis.js';
import { rolesSuite } from './roles-suite.js';

rolesSuite('Redis', () => ({ REDIS_URL: testRedis() }), [
  'end with code 1 where they complete nothing of what is due, so that their supervisor starts another',
  async ({ startWorker, watch, makeOverdue, checked }) => {
    const url = new URL(testRedis());
    const proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const deaf = await startWorker({ REDIS_URL: url.href, NODE_OPTIONS: preload('fast-watchdog') });
    proxy.silence(); // for this worker alone: the schedulers reach Redis
    await watch('left--expiring.test');
    await makeOverdue();
    expect(await deaf.ended).toBe(1);
    await proxy.close();
    await startWorker();
    await checked('left--expiring.test');
  },
]);
