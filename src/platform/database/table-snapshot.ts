import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { takeAdvisoryLock } from './migration/locks.js';
import { MIGRATION_LOCK, SESSION } from './migration/migrate-database.js';
import { tableExists } from './migration/queue-tables.js';
import { withSession } from './session.js';
import { NEXT_XID } from './transaction-order.js';

/**
 * Describes a database without its rows. A backup with this description can be restored into another version of
 * PostgreSQL.
 */
export interface DatabaseFacts {
  readonly postgres: string;
  /** The names of the applied migrations, by the table that records them. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  /** The names of Namewatch's extensions that every process on this database must have. */
  readonly extensions: readonly string[];
  /** The transaction number that follows the last completed transaction (NEXT_XID). */
  readonly position: string;
  /** The last number that each sequence has given. */
  readonly sequences: Readonly<Record<string, string>>;
  readonly last_event: { readonly id: string; readonly created_at: string } | null;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The size of the table on the disk, which is about the size of its rows as text. */
  readonly bytes: number;
}

/** A database at one moment. Later writes do not change the snapshot. */
export interface TableSnapshot {
  readonly facts: DatabaseFacts;
  readonly tables: readonly Table[];
  /** Everything that the service had confirmed to clients before this time is in the snapshot. */
  readonly takenAt: Date;
  readonly rowsOf: (table: Table) => Readable;
}

/**
 * Selects the service's own tables by their owner. Leaves out BullMQ's queues, since our tables can fill them again.
 */
const OURS = `
  relowner = (select relowner from pg_class where oid = to_regclass('mikro_orm_migrations'))
    and relnamespace not in (select oid from pg_namespace where nspname ~ '^(pg_.*|information_schema|bullmq)$')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`;

/** Leaves out unlogged tables. A crash of PostgreSQL empties them, so the service can do without their rows. */
const TABLES = `
  select c.oid::regclass::text as name, pg_table_size(c.oid)::float8 as bytes,
         array_agg(attname::text order by attnum) as columns
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
   where relkind in ('r', 'p') and not relispartition and relpersistence = 'p'
     and not starts_with(relname, 'mikro_orm_migrations') and ${OURS}
   group by c.oid order by 1`;
const HISTORIES = `
  select relname::text as name from pg_class c where relkind = 'r' and starts_with(relname, 'mikro_orm_migrations') and ${OURS}`;
const SEQUENCES = `
  with sequence as materialized (select c.oid from pg_class c where relkind = 'S' and ${OURS})
  select oid::regclass::text as name, pg_sequence_last_value(oid)::text as last from sequence
   where pg_sequence_last_value(oid) is not null`;

/** Makes the text of rows independent of the server's settings, and lifts time limits. */
const PLAIN_SESSION = `
  select set_config(name, '0', false) from pg_settings where name in
    ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout');
  set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 3;
  set bytea_output = 'hex'; set row_security = off; set client_min_messages = 'warning'`;

/** Runs work in a session that reads and writes rows as text. An abort of the signal ends the session. */
export function withPlainSession<Result>(
  url: string,
  signal: AbortSignal,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const run = async (session: pg.Client) => {
    const end = () => void session.end();
    signal.throwIfAborted();
    signal.addEventListener('abort', end);
    try {
      await session.query(PLAIN_SESSION);
      return await work(session);
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
  return withSession(url, run, { ...SESSION, application_name: 'namewatch backup' });
}

/**
 * No migration can run during the work.
 * @returns null for a database without our tables
 */
export function withSnapshot<Result>(
  url: string,
  signal: AbortSignal,
  work: (snapshot: TableSnapshot) => Promise<Result>,
): Promise<Result | null> {
  return withPlainSession(url, signal, async (session) => {
    if (!(await tableExists(session, 'database_state'))) return null;
    await takeAdvisoryLock(session, MIGRATION_LOCK, 'shared');
    return work(await takeSnapshot(session));
  });
}

async function takeSnapshot(session: pg.Client): Promise<TableSnapshot> {
  // Reads the time before the snapshot begins, so that the backup has everything until this time.
  const [clock] = await rowsOf<{ now: Date }>(session, 'select clock_timestamp() as now');
  await session.query('begin isolation level repeatable read, read only');
  const tables = await rowsOf<Table>(session, TABLES);
  const copy = ({ name, columns }: Table) => {
    const list = columns.map((column) => session.escapeIdentifier(column)).join(', ');
    const rows = session.query(copyTo(`copy (select ${list} from ${name}) to stdout`));
    return rows.on('error', () => undefined); // the reader of the rows gets the error
  };
  return { facts: await readFacts(session), tables, takenAt: clock?.now ?? new Date(0), rowsOf: copy };
}

async function readFacts(session: pg.Client): Promise<DatabaseFacts> {
  const migrations: Record<string, string[]> = {};
  for (const { name } of await rowsOf<{ name: string }>(session, HISTORIES)) {
    const applied = `select name from ${session.escapeIdentifier(name)} order by id`;
    migrations[name] = (await rowsOf<{ name: string }>(session, applied)).map((row) => row.name);
  }
  const [server] = await rowsOf<{ postgres: string; position: string }>(
    session,
    `select current_setting('server_version') as postgres, ${NEXT_XID}::text as position`,
  );
  const [event] = await rowsOf<{ id: string; created_at: Date }>(
    session,
    'select id, created_at from events order by xid desc, seq desc limit 1',
  );
  const extensions = await rowsOf<{ name: string }>(session, 'select name from extensions order by name');
  const sequences = await rowsOf<{ name: string; last: string }>(session, SEQUENCES);
  return {
    postgres: server?.postgres ?? '',
    migrations,
    extensions: extensions.map(({ name }) => name),
    position: server?.position ?? '',
    sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])),
    last_event: event ? { id: event.id, created_at: event.created_at.toISOString() } : null,
  };
}

async function rowsOf<Row extends pg.QueryResultRow>(session: pg.Client, text: string): Promise<Row[]> {
  return (await session.query<Row>(text)).rows;
}
