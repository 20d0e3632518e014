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
 * PostgreSQL ends a transaction that is idle for this long, and a statement that runs for this long. The driver applies
 * `query_timeout`, in case the server is silent.
 */
const TIMEOUTS_MS = { idle_in_transaction_session_timeout: 5_000, statement_timeout: 30_000, query_timeout: 35_000 };

/** Configures MikroORM. Mappings and migrations are listed by name, so that no files are searched. */
export function ormOptions(config: Config, extensions = Extensions.none, pools = new OrmPools()): Options {
  return defineConfig({
    clientUrl: config.databaseUrl ?? 'postgres://127.0.0.1/namewatch',
    entities: [...authMappings, ...watchlistMappings, ...notificationsMappings, ...extensions.collect('entities')],
    extensions: [Migrator],
    pool: { min: 0, max: config.databasePool },
    driverOptions: {
      Client: PooledClient,
      // Passes the whole URL to the driver, because MikroORM ignores the TLS settings and further hosts in this URL.
      ...(config.databaseUrl === null ? {} : { connectionString: config.databaseUrl }),
      connectionTimeoutMillis: 5_000,
      application_name: `namewatch ${config.role}`,
      ...TIMEOUTS_MS,
      keepAlive: true, // otherwise a dead network would never be noticed
      onPoolCreated: pools.separate,
    },
    forceUtcTimezone: true,
    // Turns off MikroORM's hooks that pass a change on to related entities. The hooks would only cost time, because our
    // entities store the ids of other entities instead of references to them.
    propagationOnPrototype: false,
    logger: () => undefined, // errors are thrown; the rest is noise of the migrator
    // Otherwise, initial values of class fields would become default values of columns.
    discovery: { inferDefaultValues: false },
    schemaGenerator: { ignoreSchema: ['bullmq'] },
    migrations: { migrationsList: migrations, snapshot: false },
  });
}
