import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { runMigrations } from 'bullmq';
import pg from 'pg';

/** Any number that nothing else in this database locks; the letters "namewat" as a bigint. */
const MIGRATION_LOCK = '31069404838617460';

/** The database was migrated by a later version; running on it could lose what it added. Exit code 78. */
export class DatabaseIsNewer extends Error {
  constructor(unknown: readonly string[]) {
    super(`the database is newer than this version of Namewatch: it has ${unknown.join(', ')}`);
  }
}

export interface Migrating {
  readonly databaseUrl: string;
  readonly orm: Options;
  /** The names of this version's migrations, in order. */
  readonly names: readonly string[];
  /** Whether BullMQ keeps its jobs in this database too. */
  readonly queue: boolean;
}

/**
 * Brings the database up to this version. Processes that start together take turns under an advisory lock, which
 * MikroORM's migrator lacks: the second finds nothing to do.
 * @throws DatabaseIsNewer when it holds migrations that this version does not know.
 */
export async function migrateDatabase(migrating: Migrating): Promise<number> {
  const client = new pg.Client({ connectionString: migrating.databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (migrating.queue) await runMigrations(client);
    const applied = await appliedIn(client);
    const unknown = applied.filter((name) => !migrating.names.includes(name));
    if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
    const missing = migrating.names.length - applied.length;
    if (missing > 0) await applyAll(migrating.orm);
    return missing;
  } finally {
    await client.end(); // which gives the lock back too
  }
}

async function appliedIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('mikro_orm_migrations') is not null as there`,
  );
  if (!rows[0]?.there) return [];
  const applied = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  return applied.rows.map((row) => row.name);
}

/** Any of them may take its time: an index on millions of rows does. */
const ALL_THE_TIME = { idle_in_transaction_session_timeout: 0, statement_timeout: 0, query_timeout: 0 };

async function applyAll(options: Options): Promise<void> {
  const driverOptions = { ...(options.driverOptions as object), ...ALL_THE_TIME };
  const orm = await MikroORM.init({ ...options, driverOptions });
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}
