import type { Options } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { InvalidConfigurationError } from '../../../config/invalid-configuration.error.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';
import { type LockRetryOptions, retryWhileLocked, withAdvisoryLock } from './locks.js';
import { areRegistered, assertAllLoaded, type DatabaseExtension, registerExtensions } from './extension-registry.js';
import { currentUser, grantAccess, INSUFFICIENT_PRIVILEGE, canReadAndWrite } from './grants.js';
import { findPending, type MigrationHistory, migrationHistories } from './migration-history.js';
import { assertOwnSession, withSession } from '../session.js';
import { areQueuesReady, createQueues } from './queue-tables.js';
import { type MigrationEntry, openMigrationSteps } from './migration-steps.js';

/** The lock for the whole migration: "namewat" as a bigint, a number that no other lock of this database has. */
export const MIGRATION_LOCK = '31069404838617460';

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
  /** Extensions, whose migrations follow ours in this order. */
  readonly extensions: readonly DatabaseExtension[];
  /** BullMQ queues, whose jobs are in this database too. */
  readonly queues: readonly string[];
}

/**
 * Migrates the database to this version. Each migration is committed alone, so finished ones stay when a later one
 * fails. Concurrent processes take turns, and the second has nothing to do. The tables' owner is needed only if there
 * is something to do.
 * @returns how many migrations this call applied
 * @throws DatabaseOfAnotherVersion, InvalidConfigurationError when an extension is missing or its migration fails
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

/** Limits the wait for a silent server or network. Statements that migrate take as long as they need. */
const SILENCE_MS = 35_000;

function migrateAsOwner(user: string, session: pg.Client, options: MigrateOptions): Promise<number> {
  return withAdvisoryLock(session, MIGRATION_LOCK, async () => {
    await assertAllLoaded(session, options.extensions);
    const pending = await findAllPending(session, options);
    await grantAccess(session, user); // before new tables exist, so that each is accessible from its commit
    if (!(await areQueuesReady(session, options.queues))) await migrateQueues(session, options);
    for (const one of pending.filter(({ names }) => names.length > 0)) await applyPending(options, one);
    await registerExtensions(session, options.extensions);
    return countNames(pending);
  });
}

export const SESSION = {
  application_name: 'namewatch migrate',
  keepAlive: true, // otherwise a dead network is never noticed
  keepAliveInitialDelayMillis: 10_000,
};

/**
 * Returns the names of the migrations that the next start applies.
 * @throws DatabaseOfAnotherVersion, InvalidConfigurationError when an extension is missing
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

/** Whether the serving user can use everything that this version needs. */
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
 * Runs one step. Explains a failure that an extension caused; any other error, such as an unavailable database, passes
 * unchanged.
 * @param extension null for a migration of Namewatch
 * @throws InvalidConfigurationError
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
