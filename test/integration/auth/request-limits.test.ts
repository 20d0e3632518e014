import { randomBytes } from 'node:crypto';
import { StoredRequestTokens } from '../../../src/auth/infrastructure/stored-request-tokens.js';
import { readConfig } from '../../../src/config.js';
import { RedisConnection } from '../../../src/platform/redis.js';
import { Statements } from '../../../src/platform/statements.js';
import { migrate } from '../../../src/migrate.js';
import { freshDatabase } from '../../support/database.js';
import { requestLimitsIn } from './request-limits-suite.js';

requestLimitsIn('PostgreSQL', async () => {
  const settings = { DATABASE_URL: await freshDatabase(), MASTER_KEY: randomBytes(32).toString('base64') };
  await migrate(readConfig(settings));
  const there = new Statements(readConfig(settings));
  const away = new Statements(readConfig({ ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }));
  const none = new RedisConnection(null);
  return {
    tokens: () => new StoredRequestTokens(none, there),
    unreachable: new StoredRequestTokens(none, away),
    close: async () => void (await Promise.all([there.onApplicationShutdown(), away.onApplicationShutdown()])),
  };
});
