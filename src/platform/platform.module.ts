import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type Options, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { Foreground } from '../kernel/foreground.js';
import { EventHandlers, UnitOfWork } from '../kernel/unit-of-work.js';
import { DatabaseClock } from './database/database-clock.js';
import { FairLine } from './concurrency/fair-semaphore.js';
import { Metrics } from './metrics/metrics.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { MikroUnitOfWork } from './database/postgres-unit-of-work.js';
import { RegisteredEventHandlers } from './database/event-dispatcher.js';
import { Readiness } from './readiness.js';
import { requestLine } from './concurrency/account-semaphore.js';
import { Resignation } from './fatal-stall-signal.js';
import { Statements } from './database/sql-client.js';

/** The technology under every module, wired once: configuration, database, time, transactions. */
@Module({})
export class PlatformModule {
  static forRoot(config: Config, orm: Options): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [
        MikroOrmModule.forRootAsync({
          driver: PostgreSqlDriver,
          // Controllers go through services, which open units of work; a context for each request has no use.
          useFactory: () => ({ ...orm, registerRequestContext: false }),
        }),
      ],
      providers: [
        { provide: Config, useValue: config },
        Statements,
        requestLine,
        { provide: Foreground, useExisting: FairLine },
        Readiness,
        Resignation,
        Metrics,
        MetricsServer,
        RegisteredEventHandlers,
        { provide: EventHandlers, useExisting: RegisteredEventHandlers },
        { provide: UnitOfWork, useClass: MikroUnitOfWork },
        { provide: Clock, useClass: DatabaseClock },
      ],
      exports: [
        Config,
        Statements,
        requestLine,
        Foreground,
        Readiness,
        Resignation,
        Metrics,
        EventHandlers,
        UnitOfWork,
        Clock,
      ],
    };
  }
}
