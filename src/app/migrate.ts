import { Logger } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { Extensions } from '../extensions/extensions.js';
import { migrations } from '../migrations/index.js';
import { ormOptions } from './orm.js';
import { migrateDatabase, pendingMigrations as findPending } from '../platform/database/migration/migrate.js';
import { QUEUES } from '../platform/queue/queue-names.js';

const log = new Logger('Migrations');

/** @returns the number of migrations that were missing */
export function migrate(config: Config, extensions = Extensions.none): Promise<number> {
  if (config.databaseUrl === null) throw new Error('the database has no address yet');
  return migrateDatabase({
    databaseUrl: config.databaseUrl,
    migrationUrl: config.migrationDatabaseUrl ?? config.databaseUrl,
    orm: ormOptions(config, extensions),
    migrations,
    queues: config.redisUrl === null ? QUEUES : [],
    onBlocked: (sentence) => log.warn(sentence),
  });
}

/** The names of the migrations that the next start applies. @throws DatabaseIsNewer */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return findPending({ databaseUrl, migrations });
}
