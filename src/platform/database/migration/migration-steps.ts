import type { Migration } from '@mikro-orm/migrations';
import { type AbstractSqlConnection, MikroORM, type Options } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import { RETRY_TIMEOUT_MS, type LockRetryOptions, retryWhileLocked } from './locks.js';

export interface MigrationEntry {
  readonly name: string;
  readonly class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
}

export interface MigrationSteps {
  readonly apply: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface MigrationStepsOptions extends LockRetryOptions {
  readonly migrationUrl: string;
  readonly orm: Options;
  readonly migrations: readonly MigrationEntry[];
  /** The table that records the applied migrations. */
  readonly table: string;
}

/** Settings that lift all time limits, since building an index on millions of rows takes long. */
const NO_TIMEOUTS = { query_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** Opens one connection that applies and records each migration, in a transaction unless the migration forbids it. */
export async function openMigrationSteps(stepsOptions: MigrationStepsOptions): Promise<MigrationSteps> {
  const { orm: options, migrations, table } = stepsOptions;
  const orm = await MikroORM.init({
    ...options,
    clientUrl: stepsOptions.migrationUrl,
    pool: { min: 0, max: 1 }, // one connection, so that session settings apply to all statements
    driverOptions: {
      ...(options.driverOptions as object),
      connectionString: stepsOptions.migrationUrl,
      ...NO_TIMEOUTS,
    },
    migrations: {
      ...options.migrations,
      tableName: table,
      migrationsList: [...migrations],
      transactional: true,
      allOrNothing: false,
    },
  });
  const steps = new Map(migrations.map(({ name, class: Step }) => [name, new Step(orm.em.getDriver(), orm.config)]));
  /** False if each statement of the migration commits alone. Such a migration runs again after a crash. */
  const isTransactional = (name: string) => steps.get(name)?.isTransactional() !== false;
  const apply = (name: string) =>
    retryWhileLocked(`what ${name} changes`, stepsOptions, async (lockTimeoutMs) => {
      if (isTransactional(name)) await configureSession(orm, lockTimeoutMs);
      else {
        // Such a migration builds an index concurrently. Requests do not queue behind the build, so the lock timeout is
        // long.
        await configureSession(orm, stepsOptions.retryTimeoutMs ?? RETRY_TIMEOUT_MS);
        await dropUnfinishedIndexes(orm.em.getConnection(), await listStatements(steps.get(name)));
      }
      await orm.migrator.up({ migrations: [name] });
    });
  return { apply, close: () => orm.close() };
}

/**
 * Lifts the time limit of statements. Ends an idle transaction after 30 s, since a frozen process would keep its locks.
 */
async function configureSession(orm: MikroORM, lockTimeoutMs: number): Promise<void> {
  await orm.em.getConnection().execute(
    `select set_config('lock_timeout', ?, false), set_config('statement_timeout', '0', false),
            set_config('idle_in_transaction_session_timeout', '30s', false)`,
    [`${lockTimeoutMs}ms`],
  );
}

async function listStatements(migration: Migration | undefined): Promise<string[]> {
  if (!migration) return [];
  migration.reset();
  await migration.up();
  return migration.getQueries().map(String);
}

const CREATES_INDEX = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gi;
const POLL_INTERVAL_MS = 500;

interface UnfinishedIndex {
  readonly drop: string;
  readonly being_built: boolean;
}

/** Drops indexes that a crash left unfinished, since `create index if not exists` would skip them. */
async function dropUnfinishedIndexes(connection: AbstractSqlConnection, statements: readonly string[]): Promise<void> {
  for (const index of statements.flatMap(indexesCreatedBy)) {
    let unfinished = await findUnfinished(connection, index);
    while (unfinished?.being_built) {
      await pause(POLL_INTERVAL_MS);
      unfinished = await findUnfinished(connection, index);
    }
    if (unfinished) await connection.execute(unfinished.drop);
  }
}

function indexesCreatedBy(statement: string): string[] {
  return [...statement.matchAll(CREATES_INDEX)].flatMap(([, name]) => name ?? []);
}

async function findUnfinished(connection: AbstractSqlConnection, index: string): Promise<UnfinishedIndex | undefined> {
  const found: UnfinishedIndex[] = await connection.execute(
    `select format('drop index concurrently if exists %s', indexrelid::regclass) as drop,
            exists (select from pg_stat_progress_create_index build where build.index_relid = indexrelid) as being_built
       from pg_index where indexrelid = to_regclass(?) and not indisvalid`,
    [index],
  );
  return found[0];
}
