import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type Options, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { DatabaseConfig, SecretsConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { EventBus, UnitOfWork } from '../kernel/unit-of-work.js';
import { DatabaseClock } from './database/database-clock.js';
import { CursorSeal } from './crypto/cursor-seal.js';
import { DataKeyWatch } from './crypto/data-key-watch.js';
import { openSecretBox } from './crypto/data-key.js';
import { SecretBox } from './crypto/secret-box.js';
import { accountLines } from './concurrency/account-lines.js';
import { Metrics } from './metrics/metrics.js';
import { PostgresUnitOfWork } from './database/postgres-unit-of-work.js';
import { DatabaseMetrics } from './database/database-metrics.js';
import { Readiness } from './readiness.js';
import { OrmPools } from './database/pools.js';
import { RepairAfterPutBack } from './database/put-back-repair.js';
import { askIn, withSession } from './database/session.js';
import { SqlClient } from './database/sql-client.js';
import { MailOutbox } from './outbound/mail-outbox.js';

/**
 * Reads the key of stored secrets (data key) over a connection that is closed at once, so that a failed start leaves no
 * connection open.
 */
const secretBox = {
  provide: SecretBox,
  inject: [DatabaseConfig, SecretsConfig],
  useFactory: ({ databaseUrl }: DatabaseConfig, { masterKeys }: SecretsConfig) =>
    withSession(databaseUrl ?? '', (session) => openSecretBox(askIn(session), masterKeys)),
};

@Module({})
export class PlatformModule {
  static forRoot(config: Config, orm: Options, pools = new OrmPools()): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [
        ConfigModule.forRoot(config),
        MikroOrmModule.forRootAsync({
          driver: PostgreSqlDriver,
          // The ORM needs no context per request, because services open their own transactions.
          useFactory: () => ({ ...orm, registerRequestContext: false }),
        }),
      ],
      providers: [
        { provide: Config, useValue: config },
        { provide: OrmPools, useValue: pools },
        SqlClient,
        accountLines,
        Readiness,
        RepairAfterPutBack,
        Metrics,
        DatabaseMetrics,
        MailOutbox,
        EventBus,
        { provide: UnitOfWork, useClass: PostgresUnitOfWork },
        secretBox,
        DataKeyWatch,
        CursorSeal,
        DatabaseClock,
        { provide: Clock, useExisting: DatabaseClock },
      ],
      exports: [
        Config,
        SqlClient,
        accountLines,
        Readiness,
        RepairAfterPutBack,
        Metrics,
        MailOutbox,
        EventBus,
        UnitOfWork,
        Clock,
        SecretBox,
        DataKeyWatch,
        CursorSeal,
      ],
    };
  }
}
