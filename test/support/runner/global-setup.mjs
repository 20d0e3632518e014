import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { importTypeScript } from '../../../tools/scripts/import-typescript.mjs';
import { redisForTests, startRedis } from '../servers/redis-server.mjs';

/** One PostgreSQL for the whole run, by the service's own starter, and one Redis where there is any. */
export default async function globalSetup(_global, { cacheDirectory }) {
  process.env.NODE_COMPILE_CACHE = join(cacheDirectory, 'bytecode'); // of the workers, and of programs that they start
  importTypeScript(cacheDirectory);
  const { startEmbeddedPostgres } = await import('../../../src/process/postgres/embedded-postgres.ts');
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-test-'));
  chmodSync(folder, 0o711);
  const cluster = join(folder, 'pg');
  const postgres = await startEmbeddedPostgres({ cluster, password: 'test', fast: true });
  await spareUpkeep(postgres.url);
  process.env.TEST_PG = postgres.url;
  globalThis.stopTestServers = [
    postgres.stop,
    () => {
      const path = realpathSync(cluster); // elsewhere when the temporary folder is closed to PostgreSQL's user
      for (const left of [path, `${path}.home`, folder]) rmSync(left, { recursive: true, force: true });
    },
  ];

  const redis = redisForTests();
  if (redis?.url) process.env.TEST_REDIS_URL = redis.url;
  if (redis?.program) {
    const { url, stop } = await startRedis(redis.program);
    process.env.TEST_REDIS_URL = url;
    globalThis.stopTestServers.push(stop);
  }
}

/** Hundreds of databases live for seconds: nothing is gained by vacuuming them, and little by writing their pages out. */
async function spareUpkeep(url) {
  const client = new pg.Client(url);
  await client.connect();
  // The log has a bound, since it lies in memory in .ci/run.
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '2GB' };
  for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
  await client.end();
}
