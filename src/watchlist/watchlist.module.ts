import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { Config } from '../config/config.js';
import { DomainsModule } from '../domains/domains.module.js';
import { AccountLookupCache, LookupCompletedListeners, ExpiryForecastService } from '../domains/index.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { AddMany } from './application/add-many.js';
import { BackgroundPace } from './application/background-pace.js';
import { EntryOutlook } from './application/entry-outlook.js';
import { EntryPace } from './application/entry-pace.js';
import { EntryExpansions } from './http/entries/entry-expansions.js';
import { ForgetHistory } from './application/forget-history.js';
import { FollowOperators } from './application/follow-operators.js';
import { FollowSuspensions } from './application/follow-suspensions.js';
import { HoldToPlans } from './application/hold-to-plans.js';
import { logMoves } from './application/log-moves.js';
import { KeepHistory } from './application/keep-history.js';
import { MeasureLoads } from './application/measure-loads.js';
import { ImportWatchlist } from './application/import-watchlist.js';
import { JudgeWorker } from './application/judge-worker.js';
import { LookAtNames } from './application/look-at-names.js';
import { Recordings } from './application/recordings.js';
import { RecordLooks } from './application/record-looks.js';
import { ObserveDomain } from './application/observe-domain.js';
import { ClaimNames } from './application/claim-names.js';
import { WatchlistService } from './application/watchlist.service.js';
import { Progress } from './application/progress.js';
import { ScheduleLag } from './domain/schedule-lag.js';
import { PostgresScheduleLag } from './infrastructure/queries/postgres-schedule-lag.js';
import { ScheduleMetrics } from './jobs/schedule-metrics.js';
import { WatchdogTick } from './jobs/watchdog-tick.js';
import { ReleaseBrakes } from './application/release-brakes.js';
import { Brakes } from './domain/brake.js';
import { BrakeTick } from './jobs/brake-tick.js';
import { PostgresDropBrakeRepository } from './infrastructure/repositories/postgres-drop-brake-repository.js';
import { BulkAdditions } from './domain/bulk-additions.js';
import { Cadence } from './domain/cadence.js';
import { NameOperators } from './domain/name-operators.js';
import { OperatorLoads } from './domain/operator-loads.js';
import { Suspensions } from './domain/suspensions.js';
import { PlanFloors } from './domain/plan-floors.js';
import { RoutineLooks } from './domain/routine-looks.js';
import { WatchEntries } from './domain/watch-entries.js';
import { WatchlistExport } from './domain/watchlist-export.js';
import { WatchlistPages } from './domain/watchlist-pages.js';
import { Leases } from './domain/leases.js';
import { WatchedNames } from './domain/watched-names.js';
import { EntryReader } from './domain/entry-details.js';
import { FailurePatience } from './domain/failure-patience.js';
import { History } from './domain/history.js';
import { EntryController } from './http/entries/entry.controller.js';
import { ExportController } from './http/export/export.controller.js';
import { ImportController } from './http/import/import.controller.js';
import { WatchlistController } from './http/entries/watchlist.controller.js';
import { PostgresBulkAdditions } from './infrastructure/repositories/postgres-bulk-additions.js';
import { PostgresWatchEntryRepository } from './infrastructure/repositories/postgres-watch-entry-repository.js';
import { PostgresEntryReader } from './infrastructure/queries/postgres-entry-reader.js';
import { PostgresHistory } from './infrastructure/repositories/postgres-history.js';
import { PostgresWatchedNameRepository } from './infrastructure/repositories/postgres-watched-name-repository.js';
import { PostgresLeases } from './infrastructure/repositories/postgres-leases.js';
import { PostgresOperatorAssignments } from './infrastructure/repositories/postgres-operator-assignments.js';
import { PostgresOperatorLoads } from './infrastructure/repositories/postgres-operator-loads.js';
import { PostgresSuspensions } from './infrastructure/repositories/postgres-suspensions.js';
import { PostgresPlanMinimums } from './infrastructure/repositories/postgres-plan-minimums.js';
import { PostgresRoutineUpdates } from './infrastructure/repositories/postgres-routine-updates.js';
import { PostgresWatchlistExport } from './infrastructure/queries/postgres-watchlist-export.js';
import { PostgresWatchlistPages } from './infrastructure/queries/postgres-watchlist-pages.js';
import { CheckTick } from './jobs/check-tick.js';
import { CheckProcessor } from './jobs/check.processor.js';
import { HistoryTick } from './jobs/history-tick.js';
import { LoadTick } from './jobs/load-tick.js';
import { OperatorTick } from './jobs/operator-tick.js';
import { PlanTick } from './jobs/plan-tick.js';
import { SuspensionTick } from './jobs/suspension-tick.js';
import { CHECK_QUEUE } from './jobs/check.queue.js';

const cadence = {
  provide: Cadence,
  inject: [Config, ExpiryForecastService],
  useFactory: ({ watch, timeScale }: Config, outlook: ExpiryForecastService) =>
    new Cadence({ ...watch, timeScale }, Math.random, (name, facts, now) => outlook.dropWindow(name, facts, now)),
};

const patience = {
  provide: FailurePatience,
  inject: [Config],
  useFactory: ({ watch, timeScale }: Config) => new FailurePatience({ failures: watch.checkFailingAfter, timeScale }),
};

@Module({})
export class WatchlistModule implements OnModuleInit {
  constructor(
    private readonly looks: LookupCompletedListeners,
    private readonly observe: ObserveDomain,
    private readonly handlers: EventBus,
    private readonly history: KeepHistory,
    private readonly pages: WatchlistPages,
    private readonly use: AccountUsage,
    private readonly accounts: AccountLookupCache,
    private readonly entries: WatchEntries,
  ) {}

  static register(role: ProcessRole): DynamicModule {
    return {
      module: WatchlistModule,
      imports: [AuthModule, DomainsModule.register(role), QueueModule.producer(CHECK_QUEUE)],
      controllers: includesRole(role, 'api')
        ? [WatchlistController, ImportController, ExportController, EntryController]
        : [],
      providers: [
        cadence,
        patience,
        KeepHistory,
        ForgetHistory,
        FollowOperators,
        FollowSuspensions,
        HoldToPlans,
        MeasureLoads,
        EntryOutlook,
        EntryPace,
        EntryExpansions,
        WatchlistService,
        AddMany,
        ImportWatchlist,
        { provide: BulkAdditions, useClass: PostgresBulkAdditions },
        ObserveDomain,
        BackgroundPace,
        LookAtNames,
        RecordLooks,
        Recordings,
        ReleaseBrakes,
        Progress,
        ScheduleMetrics,
        { provide: ScheduleLag, useClass: PostgresScheduleLag },
        { provide: Brakes, useClass: PostgresDropBrakeRepository },
        ClaimNames,
        { provide: RoutineLooks, useClass: PostgresRoutineUpdates },
        { provide: WatchEntries, useClass: PostgresWatchEntryRepository },
        { provide: WatchedNames, useClass: PostgresWatchedNameRepository },
        { provide: History, useClass: PostgresHistory },
        { provide: EntryReader, useClass: PostgresEntryReader },
        { provide: Leases, useClass: PostgresLeases },
        { provide: NameOperators, useClass: PostgresOperatorAssignments },
        { provide: OperatorLoads, useClass: PostgresOperatorLoads },
        { provide: PlanFloors, useClass: PostgresPlanMinimums },
        { provide: Suspensions, useClass: PostgresSuspensions },
        { provide: WatchlistPages, useClass: PostgresWatchlistPages },
        { provide: WatchlistExport, useClass: PostgresWatchlistExport },
        ...(includesRole(role, 'scheduler')
          ? [CheckTick, HistoryTick, BrakeTick, LoadTick, OperatorTick, PlanTick, SuspensionTick]
          : []),
        ...(includesRole(role, 'worker') ? [CheckProcessor, JudgeWorker, WatchdogTick] : []),
      ],
    };
  }

  /** What a person's check found out is news for the watch too, so that list and check agree. */
  onModuleInit(): void {
    this.use.registerCounter('entries', (accountId) => this.pages.total(accountId));
    this.handlers.afterCommit('watchlist.', logMoves);
    this.handlers.subscribe('history.', (events) => this.history.run(events));
    this.looks.subscribe((name, look, asker) => this.observe.recordCheck(name, look, asker));
    this.accounts.setWatchQuery((asker, name, since) => this.entries.watches(asker, name, since));
  }
}
