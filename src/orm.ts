import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { authMappings } from './auth/infrastructure/mappings.js';
import type { Config } from './config.js';
import { migrations } from './migrations/index.js';
import { reclaimLostConnections } from './platform/persistence/lost-connections.js';
import { notificationsMappings } from './notifications/infrastructure/mappings.js';
import { watchlistMappings } from './watchlist/infrastructure/mappings.js';

/** How the modules' aggregates meet PostgreSQL: every mapping and migration by name, nothing found by globbing. */
export function ormOptions(config: Config): Options {
  return defineConfig({
    clientUrl: config.databaseUrl ?? 'postgres://127.0.0.1/namewatch',
    entities: [...authMappings, ...watchlistMappings, ...notificationsMappings],
    extensions: [Migrator],
    pool: { min: 0, max: config.databasePool },
    driverOptions: {
      connectionTimeoutMillis: 5_000,
      application_name: 'namewatch',
      keepAlive: true, // or a network that loses everything is never noticed
      onPoolCreated: reclaimLostConnections,
    },
    forceUtcTimezone: true,
    logger: () => undefined, // what fails is thrown; the rest is the migrator's chatter
    // Otherwise the initial values of plain classes would become column defaults.
    discovery: { inferDefaultValues: false },
    schemaGenerator: { ignoreSchema: ['bullmq'] },
    migrations: { migrationsList: migrations, snapshot: false, transactional: true, allOrNothing: true },
  });
}
