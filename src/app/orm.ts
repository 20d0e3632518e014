import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { authMappings } from '../auth/mappings.js';
import type { Config } from '../config/config.js';
import { Extensions } from '../extensions/extensions.js';
import { migrations } from '../migrations/index.js';
import { PooledClient } from '../platform/database/pooled-client.js';
import { OrmPools } from '../platform/database/pools.js';
import { notificationsMappings } from '../notifications/mappings.js';
import { watchlistMappings } from '../watchlist/mappings.js';

/**
 * PostgreSQL ends a transaction that a suspended process or a lost machine leaves idle, since others wait for its locks.
 * Queries to a silent server fail.
 */
const TIMEOUTS_MS = { idle_in_transaction_session_timeout: 5_000, statement_timeout: 30_000, query_timeout: 35_000 };

/** How the modules' aggregates meet PostgreSQL: every mapping and migration by name, nothing found by globbing. */
export function ormOptions(config: Config, extensions = Extensions.none, pools = new OrmPools()): Options {
  return defineConfig({
    clientUrl: config.databaseUrl ?? 'postgres://127.0.0.1/namewatch',
    entities: [...authMappings, ...watchlistMappings, ...notificationsMappings, ...extensions.collect('entities')],
    extensions: [Migrator],
    pool: { min: 0, max: config.databasePool },
    driverOptions: {
      Client: PooledClient,
      // The ORM takes neither TLS nor further hosts from its URL; the driver does.
      ...(config.databaseUrl === null ? {} : { connectionString: config.databaseUrl }),
      connectionTimeoutMillis: 5_000,
      application_name: `namewatch ${config.role}`,
      ...TIMEOUTS_MS,
      keepAlive: true, // or a network that loses everything is never noticed
      onPoolCreated: pools.separate,
    },
    forceUtcTimezone: true,
    // Aggregates here refer to each other by id: there is nothing to propagate, and hooks on each member of each of them
    // cost a check more than its query.
    propagationOnPrototype: false,
    logger: () => undefined, // what fails is thrown; the rest is the migrator's chatter
    // Otherwise the initial values of plain classes would become column defaults.
    discovery: { inferDefaultValues: false },
    schemaGenerator: { ignoreSchema: ['bullmq'] },
    migrations: { migrationsList: migrations, snapshot: false },
  });
}
