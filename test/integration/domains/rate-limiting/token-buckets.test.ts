import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import { postgresTokenBucket } from '../../../../src/domains/infrastructure/rate-limiting/postgres-token-bucket.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { migrate } from '../../../../src/app/migrate.js';
import { freshDatabase } from '../../../support/database/database.js';
import { bucketsIn } from './token-buckets-suite.js';

bucketsIn('PostgreSQL', async () => {
  const settings = { DATABASE_URL: await freshDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  await migrate(readConfig(settings));
  const there = new SqlClient(readConfig(settings));
  const away = new SqlClient(readConfig({ ...settings, DATABASE_URL: 'postgres://nouser@127.0.0.1:1/none' }));
  return {
    limiterOf: (bucket) => postgresTokenBucket(there, bucket),
    unreachable: (bucket) => postgresTokenBucket(away, bucket),
    close: async () => void (await Promise.all([there.onApplicationShutdown(), away.onApplicationShutdown()])),
  };
});
