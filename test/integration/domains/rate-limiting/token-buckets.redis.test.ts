import { readConfig } from '../../../../src/config/config.js';
import { TokenBuckets } from '../../../../src/domains/rate-limiting/operator-tokens.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { RedisConnection } from '../../../../src/platform/redis/redis-connection.js';
import { testRedis } from '../../../support/servers/test-redis.js';
import { bucketsIn } from './token-buckets-suite.js';

bucketsIn('Redis', async () => {
  const there = new RedisConnection(testRedis());
  const away = new RedisConnection('redis://127.0.0.1:1');
  const master = { MASTER_KEY: Buffer.alloc(32).toString('base64') };
  const unused = new SqlClient(readConfig({ ...master, DATABASE_URL: 'postgres://none@127.0.0.1:1/none' }));
  await there.onModuleInit();
  return {
    buckets: () => new TokenBuckets(there, unused),
    unreachable: () => new TokenBuckets(away, unused),
    close: async () => {
      await unused.onApplicationShutdown();
      [there, away].forEach((connection) => connection.onApplicationShutdown());
    },
  };
});
