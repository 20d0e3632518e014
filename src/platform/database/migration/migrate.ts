import type { Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { withAdvisoryLock } from './advisory-lock.js';
import { type LockRetryOptions, retryWhileLocked } from './lock-timeout.js';
import { currentUser, grantAccess, INSUFFICIENT_PRIVILEGE, canReadAndWrite } from './grants.js';
import { areQueuesReady, createQueues, tableExists } from './queue-tables.js';
import { type MigrationEntry, openMigrationSteps } from './migration-steps.js';

/**
 * A lock number not used elsewhere in this database: "namewat" as a bigint. Held only while a transaction runs:
 * versions from before stepwise migration wait for it inside a statement (see advisory-lock.ts).
 */
const MIGRATION_LOCK = '31069404838617460';
/** Held from the first step to the last. */
const RUNNER_LOCK = '31069404838617461';

/** A later version migrated the database; running on it could lose data. Exit code 78. */
export class DatabaseIsNewer extends Error {
  override readonly name = 'DatabaseIsNewer';

  constructor(unknown: readonly string[]) {
    super(`the database is newer than this version of Namewatch: it has ${unknown.join(', ')}`);
  }
}

/** Migrating failed as the user of MIGRATION_DATABASE_URL, not as the serving user. */
class MigrationUserFailed extends Error {
  override readonly name = 'MigrationUserFailed';
  constructor(cause: unknown) {
    super(`cannot migrate the database: ${(cause as Error).message}`, { cause });
  }
}

export interface MigrateOptions extends LockRetryOptions {
  readonly databaseUrl: string;
  /** The same database, as the user who owns its tables. */
  readonly migrationUrl: string;
  readonly orm: Options;
  /** This version's migrations, in order. */
  readonly migrations: readonly MigrationEntry[];
  /** BullMQ queues, whose jobs are in this database too. */
  readonly queues: readonly string[];
}

/**
 * Migrates the database to this version, each migration a committed step: finished steps stay when a later one fails.
 * Concurrent processes take turns; the second has nothing to do. The tables' owner is needed only if there is something
 * to do.
 * @returns how many migrations this call applied
 * @throws DatabaseIsNewer
 */
export async function migrateDatabase(options: MigrateOptions): Promise<number> {
  const { isReady, user } = await withSession(options.databaseUrl, (session) => inspectAsUser(session, options));
  if (isReady) return 0;
  try {
    return await withSession(options.migrationUrl, (session) => migrateAsOwner(user, session, options));
  } catch (error) {
    const isOwnUser = options.migrationUrl !== options.databaseUrl;
    throw isOwnUser && typeof (error as { code?: unknown }).code === 'string' ? new MigrationUserFailed(error) : error;
  }
}

function migrateAsOwner(user: string, session: pg.Client, options: MigrateOptions): Promise<number> {
  return withAdvisoryLock(session, RUNNER_LOCK, async () => {
    const pending = await findPending(session, options);
    await grantAccess(session, user); // before new tables exist, so that each is accessible from its commit
    if (!(await areQueuesReady(session, options.queues))) await migrateQueues(session, options);
    if (pending.length > 0) await applyPending(session, options, pending);
    return pending.length;
  });
}

async function withSession<Result>(url: string, work: (session: pg.Client) => Promise<Result>): Promise<Result> {
  const session = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'namewatch migrate',
  });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end(); // also releases its locks
  }
}

/**
 * The names of the migrations that the next start applies.
 * @throws DatabaseIsNewer
 */
export function pendingMigrations(options: Pick<MigrateOptions, 'databaseUrl' | 'migrations'>): Promise<string[]> {
  return withSession(options.databaseUrl, (session) => findPending(session, options));
}

/** Whether the serving user finds everything that this version needs. */
async function inspectAsUser(session: pg.Client, options: MigrateOptions): Promise<{ isReady: boolean; user: string }> {
  const user = await currentUser(session);
  try {
    const pending = await findPending(session, options);
    const isUpToDate = pending.length === 0 && (await areQueuesReady(session, options.queues));
    return { isReady: isUpToDate && (await canReadAndWrite(session)), user };
  } catch (error) {
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return { isReady: false, user };
    throw error;
  }
}

async function findPending(client: pg.Client, { migrations }: Pick<MigrateOptions, 'migrations'>): Promise<string[]> {
  const names = migrations.map(({ name }) => name);
  const applied = (await tableExists(client, 'mikro_orm_migrations')) ? await findApplied(client) : [];
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  return names.filter((name) => !applied.includes(name));
}

async function findApplied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  return rows.map((row) => row.name);
}

async function migrateQueues(client: pg.Client, options: MigrateOptions): Promise<void> {
  await retryWhileLocked('the tables of the queues', options, async (timeout) => {
    await client.query(`select set_config('lock_timeout', $1, false)`, [String(timeout)]);
    await withAdvisoryLock(client, MIGRATION_LOCK, () => createQueues(client, options.queues));
  });
}

async function applyPending(client: pg.Client, options: MigrateOptions, pending: readonly string[]): Promise<void> {
  const steps = await openMigrationSteps(options);
  try {
    for (const name of pending) {
      if (steps.isTransactional(name)) await withAdvisoryLock(client, MIGRATION_LOCK, () => steps.apply(name));
      else await steps.apply(name);
    }
  } finally {
    await steps.close();
  }
}
