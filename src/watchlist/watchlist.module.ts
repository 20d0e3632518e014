import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Config } from '../config.js';
import { DomainsModule } from '../domains/domains.module.js';
import { LookListeners } from '../domains/index.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, serves } from '../process-role.js';
import { LookAtName } from './application/look-at-name.js';
import { ObserveDomain } from './application/observe-domain.js';
import { WatchlistService } from './application/watchlist.service.js';
import { Cadence } from './domain/cadence.js';
import { WatchEntries } from './domain/watch-entry.js';
import { WatchlistPages } from './domain/watchlist-pages.js';
import { Leases, WatchedNames } from './domain/watched-name.js';
import { WatchlistController } from './http/watchlist.controller.js';
import { MikroWatchEntries } from './infrastructure/mikro-watch-entries.js';
import { MikroWatchedNames } from './infrastructure/mikro-watched-names.js';
import { SqlLeases } from './infrastructure/sql-leases.js';
import { SqlWatchlistPages } from './infrastructure/sql-watchlist-pages.js';
import { CheckTick } from './jobs/check-tick.js';
import { CheckProcessor } from './jobs/check.processor.js';
import { CHECKS } from './jobs/check.queue.js';

const cadence = {
  provide: Cadence,
  inject: [Config],
  useFactory: ({ watch, timeScale }: Config) => new Cadence({ ...watch, timeScale }, Math.random),
};

@Module({})
export class WatchlistModule implements OnModuleInit {
  constructor(
    private readonly looks: LookListeners,
    private readonly observe: ObserveDomain,
  ) {}

  static register(role: ProcessRole): DynamicModule {
    return {
      module: WatchlistModule,
      imports: [AuthModule, DomainsModule.register(role), QueueModule.doorbell(CHECKS)],
      controllers: serves(role, 'api') ? [WatchlistController] : [],
      providers: [
        cadence,
        WatchlistService,
        ObserveDomain,
        LookAtName,
        { provide: WatchEntries, useClass: MikroWatchEntries },
        { provide: WatchedNames, useClass: MikroWatchedNames },
        { provide: Leases, useClass: SqlLeases },
        { provide: WatchlistPages, useClass: SqlWatchlistPages },
        ...(serves(role, 'scheduler') ? [CheckTick] : []),
        ...(serves(role, 'worker') ? [CheckProcessor] : []),
      ],
    };
  }

  /** What a person's check found out is news for the watch too, so that list and check agree. */
  onModuleInit(): void {
    this.looks.subscribe((name, look) => this.observe.recordCheck(name, look));
  }
}
