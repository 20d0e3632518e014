import { expect, it } from '@jest/globals';
import pg from 'pg';
import { QueueStore, StoreQueue } from '../../../src/platform/queue/store-queue.js';
import { createTestConfig } from '../../support/servers/test-service.js';

it('the process survives when PostgreSQL ends a connection of the queue between two statements', async () => {
  const { config, databaseUrl } = await createTestConfig({});
  const queue = new StoreQueue('checks', { connection: new QueueStore(config) });
  await queue.waitUntilReady();
  const { pool } = (queue as unknown as { backend: { connection: { pool: pg.Pool } } }).backend.connection;
  const victim = await pool.connect();
  const killer = new pg.Client(databaseUrl);
  await killer.connect();
  await victim.query('begin');
  const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
  const lost = new Promise((resolve) => victim.once('end', resolve));
  await killer.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await lost;
  await expect(victim.query('select 1')).rejects.toThrow();
  victim.release(true);
  await killer.end();
  await queue.close();
});
