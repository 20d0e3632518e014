import pg from 'pg';
import { redisForTests, startRedis } from '../support/servers/redis-server.mjs';
import type { CleanupStack } from './cleanup.js';
import { throwawayPostgres } from './throwaway-postgres.js';

/** Something of ours that runs on a database of its own, and on the queue that the settings name. */
export interface OnQueue {
  close(): Promise<void>;
}

/**
 * Starts the same on each queue that there is here: on Redis, where one is found, and on PostgreSQL.
 * @param settings of the PostgreSQL that both have
 */
export async function startOnEachQueue<One extends OnQueue>(
  closing: CleanupStack,
  start: (databaseUrl: string, env: Record<string, string>) => Promise<One>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Map<string, One>> {
  const postgres = await throwawayPostgres(settings);
  closing.push(() => postgres.close());
  const started = new Map<string, One>();
  for (const [name, env] of await startQueues(closing)) {
    const one = await start(await databaseFor(name.replace(' ', '_'), postgres.url), env);
    closing.push(() => one.close());
    started.set(name, one);
  }
  return started;
}

/** @returns the settings of each queue that there is here, by its name */
export async function startQueues(closing: CleanupStack): Promise<Map<string, Record<string, string>>> {
  const queues = new Map<string, Record<string, string>>();
  const redis = await redisServer();
  if (redis) {
    closing.push(redis.stop);
    queues.set('on redis', { REDIS_URL: redis.url });
  }
  return queues.set('on postgresql', {});
}

async function redisServer(): Promise<{ url: string; stop: () => Promise<void> } | null> {
  const found = redisForTests();
  if (found?.program) return startRedis(found.program);
  if (found?.url) return { url: found.url, stop: () => Promise.resolve() };
  return null;
}

/** Another database on that server. */
export async function databaseFor(name: string, url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(name)}`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}
