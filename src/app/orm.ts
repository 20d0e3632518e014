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

/** PostgreSQL applies the first two. The driver applies `query_timeout`, in case the server is silent. */
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
      keepAlive: true, // detects connections that a dead network has cut
      onPoolCreated: pools.separate,
    },
    forceUtcTimezone: true,
    // MikroORM's hooks for related entities would only cost time, because our entities store ids instead of references.
    propagationOnPrototype: false,
    logger: () => undefined, // errors are thrown; the rest is noise of the migrator
    // Keeps initial values of class fields from becoming default values of columns.
    discovery: { inferDefaultValues: false },
    schemaGenerator: { ignoreSchema: ['bullmq'] },
    migrations: { migrationsList: migrations, snapshot: false },
  });
}
