import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import { postgresTokenBucket } from '../../../../src/domains/rate-limiting/postgres-token-bucket.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';
import { bucketsIn } from './token-buckets-suite.js';

bucketsIn('PostgreSQL', async () => {
  const settings = { DATABASE_URL: await serviceDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  const there = new SqlClient(readConfig(settings));
  const away = new SqlClient(readConfig({ ...settings, DATABASE_URL: 'postgres://nouser@127.0.0.1:1/none' }));
  return {
    limiterOf: (bucket) => postgresTokenBucket(there, bucket),
    unreachable: (bucket) => postgresTokenBucket(away, bucket),
    close: async () => void (await Promise.all([there.onApplicationShutdown(), away.onApplicationShutdown()])),
  };
});
