import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import { TokenBuckets } from '../../../../src/domains/rate-limiting/operator-tokens.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { RedisConnection } from '../../../../src/platform/redis/redis-connection.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';
import { bucketsIn } from './token-buckets-suite.js';

bucketsIn('PostgreSQL', async () => {
  const settings = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  const there = new SqlClient(readConfig(settings));
  const away = new SqlClient(readConfig({ ...settings, DATABASE_URL: 'postgres://nouser@127.0.0.1:1/none' }));
  const none = new RedisConnection(null);
  return {
    buckets: () => new TokenBuckets(none, there),
    unreachable: () => new TokenBuckets(none, away),
    close: async () => void (await Promise.all([there.onApplicationShutdown(), away.onApplicationShutdown()])),
  };
});
