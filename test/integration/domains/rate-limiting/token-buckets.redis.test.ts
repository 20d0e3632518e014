import { redisTokenBucket } from '../../../../src/domains/rate-limiting/redis-token-bucket.js';
import { RedisConnection } from '../../../../src/platform/redis/redis-connection.js';
import { testRedis } from '../../../support/servers/test-redis.js';
import { bucketsIn } from './token-buckets-suite.js';

bucketsIn('Redis', async () => {
  const there = new RedisConnection(testRedis());
  const away = new RedisConnection('redis://127.0.0.1:1');
  await there.onModuleInit();
  const limiterIn =
    ({ client }: RedisConnection) =>
    (bucket: { points: number; duration: number }) =>
      redisTokenBucket(client ?? there, bucket);
  return {
    limiterOf: limiterIn(there),
    unreachable: limiterIn(away),
    close: () => {
      there.onApplicationShutdown();
      away.onApplicationShutdown();
      return Promise.resolve();
    },
  };
});
