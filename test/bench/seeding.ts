import type pg from 'pg';

/** A statement that is run once, and what it does, for people who wait for it. */
export interface SeedStep {
  readonly what: string;
  readonly text: string;
}

const ROWS_PER_STEP = 1_000_000;
/** PostgreSQL refuses these in a transaction; each may be repeated. */
const OUTSIDE_TRANSACTION = /^(vacuum|checkpoint)/;

/**
 * Runs the steps that were not done yet. Each one is recorded with what it did, so that a seeding that was interrupted
 * goes on where it was.
 */
export async function runSeeding(
  database: pg.Client,
  plan: (database: pg.Client) => Promise<readonly SeedStep[]>,
  report: (sentence: string) => void,
): Promise<void> {
  await database.query(`set maintenance_work_mem = '1GB'`);
  const steps = await pendingSteps(database, plan);
  for (const [done, { nth, what, text }] of steps.entries()) {
    report(`${steps.length - done} steps to go: ${what}`);
    if (OUTSIDE_TRANSACTION.test(text)) {
      await database.query(text);
      await database.query('delete from bench.steps where nth = $1', [nth]);
    } else await database.query(`begin; ${text}; delete from bench.steps where nth = ${nth}; commit`);
  }
}

async function pendingSteps(
  database: pg.Client,
  plan: (database: pg.Client) => Promise<readonly SeedStep[]>,
): Promise<(SeedStep & { nth: number })[]> {
  const { rows } = await database.query<{ isPlanned: boolean }>(
    `select to_regclass('bench.steps') is not null as "isPlanned"`,
  );
  if (!rows[0]?.isPlanned) {
    const steps = JSON.stringify((await plan(database)).map((step, nth) => ({ nth, ...step })));
    await database.query(
      `begin; create schema bench;
       create table bench.steps as select * from json_to_recordset(${database.escapeLiteral(steps)})
         as step(nth integer, what text, text text);
       commit`,
    );
  }
  const pending = await database.query<SeedStep & { nth: number }>(
    'select nth, what, text from bench.steps order by nth',
  );
  return pending.rows;
}

/**
 * Fills tables without their indexes and foreign keys, which are made in one go afterwards: that takes a fraction of the
 * time. Triggers do not run, so the rows have to be what triggers would have made of them.
 * @param tables all that the inserts write to
 * @param rows how many, written in parts
 * @param inserts SQL that writes the rows `from` to `to`
 */
export async function loadSteps(
  database: pg.Client,
  tables: readonly string[],
  rows: number,
  inserts: (from: number, to: number) => string,
): Promise<SeedStep[]> {
  const parts = Array.from({ length: Math.ceil(rows / ROWS_PER_STEP) }, (_, part) => ({
    from: part * ROWS_PER_STEP + 1,
    to: Math.min(rows, (part + 1) * ROWS_PER_STEP),
  }));
  const { rows: defined } = await database.query<Defined>(DEFINED, [tables]);
  return [
    ...defined.map(({ drop }) => ({ what: drop, text: drop })),
    ...parts.map(({ from, to }) => ({
      what: `writing the rows ${from} to ${to} of ${rows}`,
      text: `set local session_replication_role = replica; ${inserts(from, to)}`,
    })),
    ...defined.toReversed().map(({ create }) => ({ what: create, text: create })),
    { what: 'vacuum, as autovacuum would have done', text: 'vacuum (analyze)' },
    { what: 'checkpoint', text: 'checkpoint' },
  ];
}

interface Defined {
  readonly drop: string;
  readonly create: string;
}

/** Foreign keys before what they refer to; indexes of constraints come and go with these. */
const DEFINED = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create,
    case contype when 'f' then 1 else 2 end as rank
  from pg_constraint
  where contype in ('p', 'u', 'f') and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 3
  from pg_index where indrelid = any($1::regclass[])
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  order by rank, 1`;
