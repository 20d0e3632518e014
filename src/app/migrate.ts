import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { Extensions } from '../extensions/extensions.js';
import { assertColumnsExist, mapExtensionEntities } from './extension-entities.js';
import { migrations } from '../migrations/index.js';
import { ormOptions } from './orm.js';
import type { DatabaseExtension } from '../platform/database/migration/extension-registry.js';
import {
  forgetExtension as forget,
  migrateDatabase,
  pendingMigrations as findPending,
} from '../platform/database/migration/migrate.js';
import type { MigrationEntry } from '../platform/database/migration/migration-steps.js';
import { QUEUES } from '../platform/queue/store-queue.js';

const log = new Logger('Migrations');

/**
 * @returns the number of migrations that were missing
 * @throws DatabaseOfAnotherVersion, InvalidConfigurationError when an extension is missing or cannot work with the database
 */
export async function migrate(config: Config, extensions = Extensions.none): Promise<number> {
  if (config.databaseUrl === null) throw new Error('the database has no address yet');
  const entities = await mapExtensionEntities(config, extensions);
  const applied = await migrateDatabase({
    databaseUrl: config.databaseUrl,
    migrationUrl: config.migrationDatabaseUrl ?? config.databaseUrl,
    orm: ormOptions(config, extensions),
    migrations,
    extensions: toDatabaseExtensions(extensions),
    queues: config.redisUrl === null ? QUEUES : [],
    onBlocked: (sentence) => log.warn(sentence),
  });
  await assertColumnsExist(config.databaseUrl, entities);
  return applied;
}

/** The names of the migrations that the next start applies. @throws DatabaseOfAnotherVersion, InvalidConfigurationError */
export function pendingMigrations(databaseUrl: string, extensions = Extensions.none): Promise<string[]> {
  return findPending({ databaseUrl, migrations, extensions: toDatabaseExtensions(extensions) });
}

/**
 * From now on processes may start without the extension; its tables stay. @returns false when it was not registered
 * @throws InvalidConfigurationError when this process still loads it
 */
export function forgetExtension(databaseUrl: string, name: string, extensions = Extensions.none): Promise<boolean> {
  if (extensions.all.some((extension) => extension.name === name))
    throw new InvalidConfigurationError([`EXTENSIONS: take the extension ${name} out of it before it is forgotten`]);
  return forget(databaseUrl, name);
}

function toDatabaseExtensions({ all }: Extensions): DatabaseExtension[] {
  return all.map(({ name, compatibility, subscribers = [], migrations: own = [] }) => ({
    ...{ name, compatibility, isRequired: subscribers.length > 0 },
    migrations: own as readonly MigrationEntry[],
  }));
}
