import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';
import { redisForTests, startRedis } from '../../../test/support/servers/redis-server.mjs';

/** A PostgreSQL and a Redis on 127.0.0.1, and the settings of the processes that use them. */
export interface Stores {
  readonly settings: Readonly<Record<string, string>>;
  readonly hasRedis: boolean;
}

/** @param onStarted gets a function that stops the store, as soon as the store runs */
export async function startStores(folder: string, onStarted: (stop: () => Promise<void>) => void): Promise<Stores> {
  const postgres = await startEmbeddedPostgres({ cluster: join(folder, 'pg'), password: 'check', fast: true });
  onStarted(postgres.stop);
  const redis = redisForTests();
  const started = redis?.program === undefined ? null : await startRedis(redis.program);
  if (started) onStarted(started.stop);
  const redisUrl = redis?.url ?? started?.url;
  return {
    hasRedis: redisUrl !== undefined,
    settings: {
      DATABASE_URL: postgres.url,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      MASTER_KEY: randomBytes(32).toString('base64'),
    },
  };
}
