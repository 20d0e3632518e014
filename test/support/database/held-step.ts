import type pg from 'pg';
import { eventually } from '../eventually.js';

type Query = (text: string) => Promise<readonly object[]>;

/** A statement of the service that waits in the middle of its transaction, for a test to kill what it wants meanwhile. */
export interface Step {
  readonly table: string;
  readonly act: 'insert' | 'update' | 'delete';
  /** Of the row, which is `new` or `old`. */
  readonly condition: string;
}

/**
 * Holds the first statement that writes such a row, once: a repetition passes. A sequence counts, since the transaction
 * is rolled back. The service's user may not end a connection, hence the rights of the definer.
 */
export async function holdAt(query: Query, { table, act, condition }: Step): Promise<void> {
  await query(`drop function if exists hold_step cascade; drop sequence if exists held_steps; create sequence held_steps;
    create function hold_step() returns trigger language plpgsql security definer as $$
      begin if nextval('held_steps') = 1 then perform pg_sleep(60); end if; return null; end $$;
    create trigger hold_step after ${act} on ${table}
      for each row when (${condition}) execute function hold_step()`);
}

/** @returns the process of the connection that is held */
export async function heldConnection(query: Query): Promise<number> {
  const find = () =>
    query(`select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`);
  const [held] = (await eventually(find, (rows) => rows.length > 0, 60_000)) as { pid: number }[];
  return held?.pid ?? NaN;
}

/** Ends the connection at the step. */
export async function endConnectionAt(query: Query, step: Step): Promise<() => Promise<void>> {
  await holdAt(query, step);
  return async () => void (await query(`select pg_terminate_backend(${await heldConnection(query)})`));
}

export function queriesOf(client: pg.Client): Query {
  return async (text) => (await client.query<object>(text)).rows;
}
