import { redisForTests, startRedis } from '../support/servers/redis-server.mjs';
import { atEnd } from './cleanup.js';
import { databaseFor, throwawayPostgres } from './postgres.js';

/** Starts the same on each queue that there is here, on a database of its own: on Redis, where one is found, and on PostgreSQL. */
export async function startOnEachQueue<One>(
  start: (databaseUrl: string, env: Record<string, string>) => Promise<One>,
): Promise<Map<string, One>> {
  const url = await throwawayPostgres();
  const started = new Map<string, One>();
  for (const [name, env] of await startQueues())
    started.set(name, await start(await databaseFor(name.replace(' ', '_'), url), env));
  return started;
}

/** @returns the settings of each queue that there is here, by its name */
export async function startQueues(): Promise<Map<string, Record<string, string>>> {
  const queues = new Map<string, Record<string, string>>();
  const url = await redisUrl();
  if (url !== undefined) queues.set('on redis', { REDIS_URL: url });
  return queues.set('on postgresql', {});
}

async function redisUrl(): Promise<string | undefined> {
  const found = redisForTests();
  if (!found?.program) return found?.url;
  const { url, stop } = await startRedis(found.program);
  atEnd(stop);
  return url;
}
