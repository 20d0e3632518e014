import type { Options } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { InvalidConfigurationError } from '../../../config/invalid-configuration.error.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { type LockRetryOptions, retryWhileLocked, withAdvisoryLock } from './locks.js';
import { areRegistered, assertAllLoaded, type DatabaseExtension, registerExtensions } from './extension-registry.js';
import { findPending, type MigrationHistory, migrationHistories } from './migration-history.js';
import { assertOwnSession, withSession } from '../session.js';
import { areQueuesReady, createQueues } from './queue-tables.js';
import { type MigrationEntry, openMigrationSteps } from './migration-steps.js';

/** Identifies the advisory lock of migrations. The number is arbitrary, but must be the same in all versions. */
export const MIGRATION_LOCK = '31069404838617460';
const INSUFFICIENT_PRIVILEGE = '42501';

/** A migration that ran as the user of MIGRATION_DATABASE_URL failed. */
class MigrationUserFailed extends Error {
  override readonly name = 'MigrationUserFailed';
  constructor(cause: unknown) {
    super(`cannot migrate the database: ${(cause as Error).message}`, { cause });
  }
}

export interface MigrateOptions extends LockRetryOptions {
  readonly databaseUrl: string;
  /** A URL of this database for the user who owns its tables. */
  readonly migrationUrl: string;
  readonly orm: Options;
  readonly migrations: readonly MigrationEntry[];
  /** The extensions' migrations run after Namewatch's own, in the order of this list. */
  readonly extensions: readonly DatabaseExtension[];
  /** Names of the BullMQ queues, whose jobs are in this database too. */
  readonly queues: readonly string[];
}

/**
 * Each migration commits alone, so finished migrations stay when another fails.
 * @returns how many migrations were applied
 * @throws DatabaseOfAnotherVersion if a newer version or one before 1.0 made the database
 * @throws InvalidConfigurationError if an extension is missing or its migration fails
 */
export async function migrateDatabase(options: MigrateOptions): Promise<number> {
  const { isReady, user } = await withSession(options.databaseUrl, (session) => inspectAsUser(session, options), {
    ...SESSION,
    query_timeout: SILENCE_MS,
  });
  if (isReady) return 0;
  try {
    return await withSession(options.migrationUrl, (session) => migrateAsOwner(user, session, options), SESSION);
  } catch (error) {
    const isOwnUser = options.migrationUrl !== options.databaseUrl;
    throw isOwnUser && typeof (error as { code?: unknown }).code === 'string' ? new MigrationUserFailed(error) : error;
  }
}

/** Limits the wait for a silent server or network. Migrations themselves have no time limit. */
const SILENCE_MS = 35_000;

function migrateAsOwner(user: string, session: pg.Client, options: MigrateOptions): Promise<number> {
  return withAdvisoryLock(session, MIGRATION_LOCK, async () => {
    await assertAllLoaded(session, options.extensions);
    const pending = await findAllPending(session, options);
    await grantAccess(session, user); // first, so that each new table is accessible at once
    if (!(await areQueuesReady(session, options.queues))) await migrateQueues(session, options);
    for (const one of pending.filter(({ names }) => names.length > 0)) await applyPending(options, one);
    await registerExtensions(session, options.extensions);
    return countNames(pending);
  });
}

export const SESSION = {
  application_name: 'namewatch migrate',
  keepAlive: true, // notices a dead network
  keepAliveInitialDelayMillis: 10_000,
};

/**
 * Returns the names of the migrations that the next start applies.
 * @throws DatabaseOfAnotherVersion if a newer version or one before 1.0 made the database
 * @throws InvalidConfigurationError if an extension is missing
 */
export function findPendingMigrations(
  options: Pick<MigrateOptions, 'databaseUrl' | 'migrations' | 'extensions'>,
): Promise<string[]> {
  const findNames = async (session: pg.Client) => {
    await assertAllLoaded(session, options.extensions);
    return (await findAllPending(session, options)).flatMap(({ names }) => names);
  };
  return withSession(options.databaseUrl, findNames, SESSION);
}

/** Checks as the user of DATABASE_URL whether the database is up to date and accessible. */
async function inspectAsUser(session: pg.Client, options: MigrateOptions): Promise<{ isReady: boolean; user: string }> {
  await assertOwnSession(session, options.databaseUrl);
  const user = await currentUser(session);
  try {
    await assertAllLoaded(session, options.extensions);
    const isUpToDate =
      countNames(await findAllPending(session, options)) === 0 &&
      (await areQueuesReady(session, options.queues)) &&
      (await areRegistered(session, options.extensions));
    return { isReady: isUpToDate && (await canReadAndWrite(session)), user };
  } catch (error) {
    if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return { isReady: false, user };
    throw error;
  }
}

interface PendingMigrations {
  readonly history: MigrationHistory;
  readonly names: readonly string[];
}

async function findAllPending(
  client: pg.Client,
  { migrations, extensions }: Pick<MigrateOptions, 'migrations' | 'extensions'>,
): Promise<PendingMigrations[]> {
  const pending: PendingMigrations[] = [];
  for (const history of migrationHistories(migrations, extensions))
    pending.push({ history, names: await findPending(client, history) });
  return pending;
}

function countNames(pending: readonly PendingMigrations[]): number {
  return pending.reduce((count, { names }) => count + names.length, 0);
}

async function migrateQueues(client: pg.Client, options: MigrateOptions): Promise<void> {
  await retryWhileLocked('the tables of the queues', options, async (timeout) => {
    await client.query(`select set_config('lock_timeout', $1, false)`, [String(timeout)]);
    await createQueues(client, options.queues);
  });
}

async function applyPending(options: MigrateOptions, { history, names }: PendingMigrations) {
  const { extension, table, migrations } = history;
  const steps = await openMigrationSteps({ ...options, table, migrations });
  try {
    for (const name of names) await explainMigrationFailure(extension, name, () => steps.apply(name));
  } finally {
    await steps.close();
  }
}

/**
 * @param extension null for a migration of Namewatch
 * @throws InvalidConfigurationError if an extension's migration fails, unless the database is unavailable
 */
async function explainMigrationFailure(
  extension: string | null,
  migration: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (cause) {
    if (extension === null || isDatabaseUnavailable(cause)) throw cause;
    const reason = (cause as Error).message.replaceAll(/\s+/g, ' ').trim();
    const sentence = `EXTENSIONS: the migration ${migration} of the extension ${extension} failed: ${reason}`;
    throw new InvalidConfigurationError([sentence], { cause });
  }
}

async function currentUser(session: pg.Client): Promise<string> {
  const { rows } = await session.query<{ name: string }>('select current_user as name');
  return rows[0]?.name ?? '';
}

/**
 * Checks whether this session's user may read and write Namewatch's tables and sequences. These belong to the owner of
 * the migrations table.
 */
async function canReadAndWrite(session: pg.Client): Promise<boolean> {
  const { rowCount } = await session.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'bullmq') and c.relkind in ('r', 'p', 'S')
        and c.relowner = (select relowner from pg_class where oid = to_regclass('mikro_orm_migrations'))
        and case c.relkind
          when 'S' then not (has_sequence_privilege(c.oid, 'usage') and has_sequence_privilege(c.oid, 'select'))
          else not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
                    and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) end limit 1`,
  );
  return rowCount === 0;
}

/** Grants another user read and write access to the present and future tables of this session's user. */
async function grantAccess(owner: pg.Client, user: string): Promise<void> {
  if (user === (await currentUser(owner))) return;
  const { rows } = await owner.query<{ statement: string }>(
    `select format('alter default privileges grant usage on schemas to %I', $1::text) as statement
     union all select format('alter default privileges grant select, insert, update, delete on tables to %I', $1::text)
     union all select format('alter default privileges grant usage, select on sequences to %I', $1::text)
     union all select format('grant usage on schema %I to %I', nspname, $1::text) from pg_namespace
       where nspname in (current_schema(), 'bullmq') and not has_schema_privilege($1, oid, 'usage')
     union all select format('grant %s %s to %I', case c.relkind when 'S' then 'usage, select on sequence'
         else 'select, insert, update, delete on table' end, c.oid::regclass, $1::text)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in (current_schema(), 'bullmq') and c.relkind in ('r', 'p', 'S')
         and pg_get_userbyid(c.relowner) = current_user`,
    [user],
  );
  for (const { statement } of rows) await owner.query(statement);
}
