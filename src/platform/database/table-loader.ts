import type { Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { takeAdvisoryLock } from './migration/locks.js';
import { tableExists } from './migration/queue-tables.js';
import { withPlainSession } from './table-snapshot.js';
import { CONTINUE_AFTER } from './transaction-order.js';

/** Describes the backup whose rows are loaded. */
export interface TableContent {
  readonly tables: Readonly<Record<string, { readonly columns: readonly string[] }>>;
  readonly sequences: Readonly<Record<string, string>>;
  readonly position: string;
  /**
   * Namewatch's extensions that the backup has and this installation lacks. The loaded database does not require them,
   * and has none of their tasks.
   */
  readonly withoutExtensions: readonly string[];
}

/** The database to restore into is not empty, or another restore works on it. */
export class TargetInUse extends Error {}

/** Identifies the advisory lock of restores. The number is arbitrary, but must be the same in all versions. */
const RESTORE_LOCK = '32199642195829093';
/** How long a restore waits for the lock. PostgreSQL needs some time to notice that a killed restore is gone. */
const LOCK_WAIT_MS = 5_000;

/**
 * A migrated database without accounts counts as empty, for instance after a killed restore.
 * @throws TargetInUse if the database is not empty, or another restore works on it
 */
export function withEmptyDatabase<Result>(
  url: string,
  signal: AbortSignal,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withPlainSession(url, signal, async (session) => {
    if (!(await takeAdvisoryLock(session, RESTORE_LOCK, 'exclusive', LOCK_WAIT_MS)))
      throw new TargetInUse('another restore into it is under way');
    const content = await findContent(session);
    if (content !== null) throw new TargetInUse(`it is not empty: it has ${content}`);
    return work(session);
  });
}

const FOREIGN = `
  select c.oid::regclass::text as name from pg_class c
   where relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition
     and relnamespace not in (select oid from pg_namespace where nspname ~ '^(pg_.*|information_schema|bullmq)$')
     and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
   order by 1 limit 1`;

async function findContent(session: pg.Client): Promise<string | null> {
  if (!(await tableExists(session, 'mikro_orm_migrations'))) {
    const { rows } = await session.query<{ name: string }>(FOREIGN);
    return rows[0] ? `the table ${rows[0].name}` : null;
  }
  if (!(await tableExists(session, 'accounts'))) return null;
  return (await isTrue(session, 'select exists (select from accounts) as yes')) ? 'accounts' : null;
}

export async function findMissingTables(session: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is null order by name',
    [tables],
  );
  return rows.map(({ name }) => name);
}

/**
 * Replaces all rows in one transaction, including rows that migrations wrote.
 * @param fill writes the rows of a table
 */
export async function loadTables(
  session: pg.Client,
  content: TableContent,
  fill: (table: string, into: Writable) => Promise<void>,
): Promise<void> {
  const names = await sortByReferences(session, Object.keys(content.tables));
  await session.query('begin');
  const empty = `truncate ${names.join(', ')} cascade`; // PostgreSQL has quoted the names
  await session.query(empty);
  await session.query('set constraints all immediate'); // checks each row at once; queued checks would fill memory
  // Off, because the new data already has the rows that triggers would write.
  const triggers = await findTriggers(session, names);
  for (const { off } of triggers) await session.query(off);
  for (const name of names) {
    const columns = (content.tables[name]?.columns ?? []).map((column) => session.escapeIdentifier(column));
    await fill(name, session.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`)));
  }
  for (const { on } of triggers) await session.query(on);
  for (const [sequence, last] of Object.entries(content.sequences))
    await session.query('select setval(to_regclass($1), $2) where to_regclass($1) is not null', [sequence, last]);
  await session.query('delete from extensions where name = any($1)', [content.withoutExtensions]);
  await session.query('delete from extension_tasks where extension = any($1)', [content.withoutExtensions]);
  await session.query({ ...CONTINUE_AFTER, values: [content.position] });
  await session.query('commit');
  const analyze = `analyze ${names.join(', ')}`;
  await session.query(analyze); // the planner has to know the new content
}

interface Trigger {
  readonly off: string;
  readonly on: string;
}

async function findTriggers(session: pg.Client, tables: readonly string[]): Promise<Trigger[]> {
  const { rows } = await session.query<Trigger>(
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as off,
            format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as on
       from pg_trigger where tgrelid = any($1::regclass[]) and not tgisinternal and tgenabled = 'O'`,
    [tables],
  );
  return rows;
}

/** Sorts tables so that a table comes after all tables that its foreign keys reference. */
async function sortByReferences(session: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await session.query<{ name: string; needs: string }>(
    `select conrelid::regclass::text as name, confrelid::regclass::text as needs from pg_constraint
      where contype = 'f' and conrelid = any($1::regclass[]) and conrelid <> confrelid`,
    [tables],
  );
  const sorted = new Set<string>();
  const visited = new Set<string>();
  const add = (name: string) => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const row of rows) if (row.name === name && tables.includes(row.needs)) add(row.needs);
    sorted.add(name);
  };
  tables.forEach(add);
  return [...sorted];
}

async function isTrue(session: pg.Client, question: string): Promise<boolean> {
  return (await session.query<{ yes: boolean }>(question)).rows[0]?.yes === true;
}
