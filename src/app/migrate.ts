import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { Extensions } from '../extensions/extensions.js';
import { findNameProblem } from '../extensions/reserved-names.js';
import { migrations } from '../migrations/index.js';
import { ormOptions } from './orm.js';
import {
  type DatabaseExtension,
  findLeftovers,
  unregisterExtension,
} from '../platform/database/migration/extension-registry.js';
import {
  findPendingMigrations,
  migrateDatabase,
  type MigrateOptions,
  SESSION,
} from '../platform/database/migration/migrate-database.js';
import {
  extensionOf,
  isOfEarlierVersion,
  migrationHistories,
} from '../platform/database/migration/migration-history.js';
import type { MigrationEntry } from '../platform/database/migration/migration-steps.js';
import { withSession } from '../platform/database/session.js';
import { QUEUES } from '../platform/queue/store-queue.js';

const log = new Logger('Migrations');

/**
 * Applies all missing migrations.
 * @returns the number of applied migrations
 * @throws DatabaseOfAnotherVersion if the database has migrations that this process does not know
 * @throws InvalidConfigurationError if an extension is missing or does not fit the database
 */
export function migrate(config: Config, extensions = Extensions.none): Promise<number> {
  return run(config, extensions, { migrations, extensions: toDatabaseExtensions(extensions) });
}

export type AppliedMigrations = Readonly<Record<string, readonly string[]>>;

/** Applies only the migrations in `applied`. @throws DatabaseOfAnotherVersion if the database has other migrations */
export async function migrateTo(config: Config, extensions: Extensions, applied: AppliedMigrations): Promise<void> {
  const [own, ...added] = migrationHistories(migrations, toDatabaseExtensions(extensions)).map((history) => ({
    ...history,
    migrations: history.migrations.filter(({ name }) => applied[history.table]?.includes(name)),
  }));
  await run(config, extensions, {
    migrations: own?.migrations ?? [],
    extensions: added.map((history) => ({
      name: history.extension ?? '',
      compatibility: '*',
      isRequired: false,
      migrations: history.migrations,
    })),
  });
}

/** Finds the extensions and migrations that a database has and this process lacks. */
export function findUnknown(applied: AppliedMigrations, required: readonly string[], extensions: Extensions) {
  const known = migrationHistories(migrations, toDatabaseExtensions(extensions));
  const ofOthers = Object.keys(applied).filter((name) => !known.some(({ table }) => table === name));
  const names = extensions.all.map(({ name }) => name);
  const missing = [...ofOthers.map(extensionOf), ...required.filter((name) => !names.includes(name))];
  const others = known.flatMap(({ table, migrations: own }) =>
    (applied[table] ?? []).filter((name) => !own.some((migration) => migration.name === name)),
  );
  const isEarlier = known.some((history) => isOfEarlierVersion(history, applied[history.table] ?? []));
  return { extensions: [...new Set(missing)], migrations: others, isEarlier };
}

function run(config: Config, extensions: Extensions, steps: Pick<MigrateOptions, 'migrations' | 'extensions'>) {
  return migrateDatabase({
    databaseUrl: addressOf(config),
    migrationUrl: config.migrationDatabaseUrl ?? addressOf(config),
    orm: ormOptions(config, extensions),
    queues: config.redisUrl === null ? QUEUES : [],
    onBlocked: (sentence) => log.warn(sentence),
    ...steps,
  });
}

function addressOf({ databaseUrl }: Config): string {
  if (databaseUrl === null) throw new Error('the database has no address yet');
  return databaseUrl;
}

/**
 * Returns the migrations that the next start would apply.
 * @throws DatabaseOfAnotherVersion if the database has migrations that this process does not know
 * @throws InvalidConfigurationError if an extension is missing
 */
export function pendingMigrations(databaseUrl: string, extensions = Extensions.none): Promise<string[]> {
  return findPendingMigrations({ databaseUrl, migrations, extensions: toDatabaseExtensions(extensions) });
}

/**
 * Forgets an extension, so that processes can start without it. Leaves its tables in place.
 * @returns SQL that removes its tables, views and tasks; null for an unknown extension
 * @throws InvalidConfigurationError if the extension is still loaded, or no extension can have this name
 */
export function forgetExtension(databaseUrl: string, name: string, extensions = Extensions.none) {
  if (extensions.all.some((extension) => extension.name === name))
    throw new InvalidConfigurationError([
      `EXTENSIONS: remove the extension ${name} from this list before you forget it`,
    ]);
  const problem = findNameProblem(name); // With a reserved name, the SQL could drop our own tables.
  if (problem !== null) throw new InvalidConfigurationError([problem]);
  const forget = async (session: pg.Client): Promise<string[] | null> => {
    const wasRegistered = await unregisterExtension(session, name);
    const leftovers = await findLeftovers(session, name);
    return wasRegistered || leftovers.length > 0 ? leftovers : null;
  };
  return withSession(databaseUrl, forget, SESSION);
}

function toDatabaseExtensions({ all }: Extensions): DatabaseExtension[] {
  return all.map(({ name, compatibility, subscribers = [], migrations: own = [] }) => ({
    name,
    compatibility,
    isRequired: subscribers.length > 0,
    migrations: own as readonly MigrationEntry[],
  }));
}
