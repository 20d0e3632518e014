import { LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import type pg from 'pg';

export async function tableExists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
  return rows[0]?.there === true;
}

/** Checks that BullMQ's tables and each queue's sequence exist. */
export async function areQueuesReady(client: pg.Client, queues: readonly string[]): Promise<boolean> {
  if (queues.length === 0) return true;
  if (!(await tableExists(client, 'bullmq.migration'))) return false;
  const { rows } = await client.query<{ ready: boolean }>(
    `select max(version) >= $1 and (select bool_and(to_regclass('bullmq.' || bullmq.job_id_seq_name(queue)) is not null)
                                      from unnest($2::text[]) queue) as ready
       from bullmq.migration`,
    [LATEST_SCHEMA_VERSION, queues],
  );
  return rows[0]?.ready === true;
}

/**
 * Creates BullMQ's tables. The first call of `next_job_id` creates a queue's sequence, which only the tables' owner may
 * do.
 */
export async function createQueues(client: pg.Client, queues: readonly string[]): Promise<void> {
  await runMigrations(client);
  for (const queue of queues) await client.query('select bullmq.next_job_id($1)', [queue]);
}
