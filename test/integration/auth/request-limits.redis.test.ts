import { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import { readConfig } from '../../../src/config/config.js';
import { RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { testRedis } from '../../support/servers/test-redis.js';
import { PATIENT, requestLimitsIn } from './request-limits-suite.js';

requestLimitsIn('Redis', async () => {
  const [there, away] = [new RedisConnection(testRedis()), new RedisConnection('redis://127.0.0.1:1')];
  const master = { MASTER_KEY: Buffer.alloc(32).toString('base64') };
  const unused = new SqlClient(readConfig({ ...master, DATABASE_URL: 'postgres://none@127.0.0.1:1/none' }));
  await there.onModuleInit();
  return {
    tokens: () => new MinuteLimits(there, unused, PATIENT),
    unreachable: new MinuteLimits(away, unused),
    close: async () => {
      await unused.onApplicationShutdown();
      [there, away].forEach((connection) => connection.onApplicationShutdown());
    },
  };
});
