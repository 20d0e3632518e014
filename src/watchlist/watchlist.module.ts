import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { WatchConfig } from '../config/sections.js';
import { DomainsModule } from '../domains/domains.module.js';
import { computeListedDropWindow, forecastDropWindow } from '../domains/language.js';
import {
  AccountLookupCache,
  CanaryProbe,
  ListedDrops,
  LookupCompletedListeners,
  RegistryTrust,
} from '../domains/index.js';
import { Clock } from '../kernel/clock.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { BulkAddEntries } from './application/import/bulk-add-entries.js';
import { BackgroundThrottle } from './application/checks/background-throttle.js';
import { EntryBatch } from './application/entries/entry-batch.js';
import { EntryRevision } from './application/entries/entry-revision.js';
import { EntryForecast } from './application/entries/entry-forecast.js';
import { EffectiveIntervalService } from './application/entries/effective-interval.service.js';
import { PurgeHistory } from './application/maintenance/purge-history.js';
import { ReassignOperators } from './application/maintenance/reassign-operators.js';
import { SyncSuspensions } from './application/maintenance/sync-suspensions.js';
import { EnforcePlanIntervals } from './application/maintenance/enforce-plan-intervals.js';
import { logMoves } from './application/entries/log-moves.js';
import { RecordHistory } from './application/entries/record-history.js';
import { MeasureOperatorLoad } from './application/maintenance/measure-operator-load.js';
import { ChangeTaggedEntries } from './application/import/change-tagged-entries.js';
import { ImportAudit } from './application/import/import-audit.js';
import { ImportWatchlist } from './application/import/import-watchlist.js';
import { SyncWatchlist } from './application/import/sync-watchlist.js';
import { TaggedEntryReader } from './application/ports/tagged-entry-reader.js';
import { PostgresTaggedEntryReader } from './infrastructure/queries/postgres-tagged-entry-reader.js';
import { WorkerWatchdog } from './application/checks/worker-watchdog.js';
import { CheckDueNames } from './application/checks/check-due-names.js';
import { ResultWriteLimiter } from './application/checks/result-write-limiter.js';
import { RecordCheckResults } from './application/checks/record-check-results.js';
import { ConfirmDelegation } from './application/checks/confirm-delegation.js';
import { ApplyRecordUpdates } from './application/checks/apply-record-updates.js';
import { ApplyCheckResult } from './application/checks/apply-check-result.js';
import { ClaimDueNames } from './application/checks/claim-due-names.js';
import { WatchlistService } from './application/entries/watchlist.service.js';
import { WorkerProgress } from './application/checks/worker-progress.js';
import { ScheduleLagReader } from './application/ports/schedule-lag-reader.js';
import { PostgresScheduleLagReader } from './infrastructure/queries/postgres-schedule-lag-reader.js';
import { ScheduleMetrics } from './jobs/schedule-metrics.js';
import { CountMassChanges } from './application/checks/count-mass-changes.js';
import { ChangeWindowRepository } from './domain/policies/change-window-repository.js';
import { PostgresChangeWindowRepository } from './infrastructure/repositories/postgres-change-window-repository.js';
import { ReportMassChanges } from './application/maintenance/report-mass-changes.js';
import { ReleaseDropBrakes } from './application/maintenance/release-drop-brakes.js';
import { DropBrakeRepository } from './application/ports/drop-brake-repository.js';
import { PostgresDropBrakeRepository } from './infrastructure/repositories/postgres-drop-brake-repository.js';
import { BulkEntryRepository } from './application/ports/bulk-entry-repository.js';
import { CheckSchedule } from './domain/policies/check-schedule.js';
import { OperatorAssignmentRepository } from './application/ports/operator-assignment-repository.js';
import { OperatorLoadRepository } from './application/ports/operator-load-repository.js';
import { SuspensionRepository } from './application/ports/suspension-repository.js';
import { PlanMinimumRepository } from './application/ports/plan-minimum-repository.js';
import { RoutineUpdateRepository } from './application/ports/routine-update-repository.js';
import { WatchEntryRepository } from './domain/entry/watch-entry-repository.js';
import { WatchlistExportReader } from './application/ports/watchlist-export-reader.js';
import { WatchlistPageReader } from './application/ports/watchlist-page-reader.js';
import { LeaseRepository } from './application/ports/lease-repository.js';
import { WatchedNameRepository } from './domain/watched-name/watched-name-repository.js';
import { EntryReader } from './application/ports/entry-reader.js';
import { FirstCheckTraces } from './domain/watched-name/first-check-traces.js';
import { msUntilOffset } from './domain/policies/schedule-offset.js';
import { FailureAlertPolicy } from './domain/policies/failure-alert-policy.js';
import { RegistrationRecordRepository } from './application/ports/registration-record-repository.js';
import { HistoryRepository } from './application/ports/history-repository.js';
import { ImportRunRepository } from './application/ports/import-run-repository.js';
import { PostgresBulkEntryRepository } from './infrastructure/repositories/postgres-bulk-entry-repository.js';
import { PostgresWatchEntryRepository } from './infrastructure/repositories/postgres-watch-entry-repository.js';
import { PostgresEntryReader } from './infrastructure/queries/postgres-entry-reader.js';
import { PostgresRegistrationRecordRepository } from './infrastructure/repositories/postgres-registration-record-repository.js';
import { PostgresHistoryRepository } from './infrastructure/repositories/postgres-history-repository.js';
import { PostgresImportRunRepository } from './infrastructure/repositories/postgres-import-run-repository.js';
import { PostgresWatchedNameRepository } from './infrastructure/repositories/postgres-watched-name-repository.js';
import { PostgresFirstCheckTraces } from './infrastructure/repositories/postgres-first-check-traces.js';
import { PostgresLeaseRepository } from './infrastructure/repositories/postgres-lease-repository.js';
import { PostgresOperatorAssignmentRepository } from './infrastructure/repositories/postgres-operator-assignment-repository.js';
import { PostgresOperatorLoadRepository } from './infrastructure/repositories/postgres-operator-load-repository.js';
import { PostgresSuspensionRepository } from './infrastructure/repositories/postgres-suspension-repository.js';
import { PostgresPlanMinimumRepository } from './infrastructure/repositories/postgres-plan-minimum-repository.js';
import { PostgresRoutineUpdateRepository } from './infrastructure/repositories/postgres-routine-update-repository.js';
import { PostgresWatchlistExportReader } from './infrastructure/queries/postgres-watchlist-export-reader.js';
import { PostgresWatchlistPageReader } from './infrastructure/queries/postgres-watchlist-page-reader.js';
import { WatchlistMetrics } from './infrastructure/queries/watchlist-metrics.js';
import { BeginDropWindows } from './application/drop-lists/begin-drop-windows.js';
import { LoadListedDrops } from './application/drop-lists/load-listed-drops.js';
import { RefreshDropLists } from './application/drop-lists/refresh-drop-lists.js';
import { DropListingRepository } from './application/ports/drop-listing-repository.js';
import { PostgresDropListingRepository } from './infrastructure/repositories/postgres-drop-listing-repository.js';
import { WATCHLIST_REPAIRS } from './infrastructure/sql/put-back.sql.js';
import { CheckClaims } from './jobs/check-claims.js';
import { CheckProcessor } from './jobs/check.processor.js';
import { CHECK_QUEUE } from './jobs/check.queue.js';
import { StopStalledWorker } from './jobs/stop-stalled-worker.js';
import { COMMON_TASKS, SCHEDULER_TASKS, WORKER_TASKS } from './jobs/watchlist-tasks.js';

const checkSchedule = {
  provide: CheckSchedule,
  inject: [WatchConfig, TimeUnits, ListedDrops, Clock],
  useFactory: ({ watch }: WatchConfig, units: TimeUnits, listed: ListedDrops, clock: Clock) =>
    new CheckSchedule(
      {
        confirmationSpacingMs: watch.confirmation,
        pendingDeleteConfirmationSpacingMs: watch.confirmationFromPendingDelete,
        expiringWindowDays: watch.expiringWindowDays,
      },
      units,
      Math.random,
      {
        byRule: forecastDropWindow,
        byList: (name, facts, now) => {
          const listing = listed.find(name.ascii);
          return listing && computeListedDropWindow(listing, facts, now);
        },
      },
      msUntilOffset,
      () => clock.steadySince(),
    ),
};

const failureAlertPolicy = {
  provide: FailureAlertPolicy,
  inject: [WatchConfig, TimeUnits],
  useFactory: ({ watch }: WatchConfig, units: TimeUnits) => new FailureAlertPolicy(watch.checkFailingAfter, units),
};

@Module({})
export class WatchlistModule implements OnModuleInit {
  constructor(
    private readonly lookups: LookupCompletedListeners,
    private readonly observe: ApplyCheckResult,
    private readonly handlers: EventBus,
    private readonly history: RecordHistory,
    private readonly pages: WatchlistPageReader,
    private readonly use: AccountUsage,
    private readonly accounts: AccountLookupCache,
    private readonly entries: WatchEntryRepository,
    private readonly trust: RegistryTrust,
    private readonly canaries: CanaryProbe,
    private readonly brakes: DropBrakeRepository,
    private readonly repair: RepairAfterPutBack,
    private readonly names: WatchedNameRepository,
  ) {}

  /** Controllers are loaded where they serve: with what documents them they take as much memory as the checks. */
  static async register(role: ProcessRole): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./http/routes.js') : null;
    return {
      module: WatchlistModule,
      imports: [AuthModule, DomainsModule.register(role), QueueModule.forQueue(CHECK_QUEUE)],
      controllers: routes?.controllers ?? [],
      providers: [
        ...(routes?.presenters ?? []),
        checkSchedule,
        failureAlertPolicy,
        RecordHistory,
        PurgeHistory,
        ReassignOperators,
        SyncSuspensions,
        EnforcePlanIntervals,
        MeasureOperatorLoad,
        EntryBatch,
        EntryRevision,
        EntryForecast,
        EffectiveIntervalService,
        WatchlistService,
        BulkAddEntries,
        ImportAudit,
        { provide: ImportRunRepository, useClass: PostgresImportRunRepository },
        ImportWatchlist,
        ChangeTaggedEntries,
        SyncWatchlist,
        { provide: TaggedEntryReader, useClass: PostgresTaggedEntryReader },
        { provide: BulkEntryRepository, useClass: PostgresBulkEntryRepository },
        ApplyCheckResult,
        ApplyRecordUpdates,
        CountMassChanges,
        { provide: ChangeWindowRepository, useClass: PostgresChangeWindowRepository },
        ConfirmDelegation,
        BackgroundThrottle,
        CheckDueNames,
        RecordCheckResults,
        ResultWriteLimiter,
        ReleaseDropBrakes,
        ReportMassChanges,
        WorkerProgress,
        ScheduleMetrics,
        WatchlistMetrics,
        { provide: ScheduleLagReader, useClass: PostgresScheduleLagReader },
        { provide: DropBrakeRepository, useClass: PostgresDropBrakeRepository },
        ClaimDueNames,
        BeginDropWindows,
        LoadListedDrops,
        RefreshDropLists,
        { provide: DropListingRepository, useClass: PostgresDropListingRepository },
        ...COMMON_TASKS,
        { provide: RoutineUpdateRepository, useClass: PostgresRoutineUpdateRepository },
        { provide: WatchEntryRepository, useClass: PostgresWatchEntryRepository },
        { provide: WatchedNameRepository, useClass: PostgresWatchedNameRepository },
        { provide: RegistrationRecordRepository, useClass: PostgresRegistrationRecordRepository },
        { provide: HistoryRepository, useClass: PostgresHistoryRepository },
        { provide: EntryReader, useClass: PostgresEntryReader },
        { provide: LeaseRepository, useClass: PostgresLeaseRepository },
        { provide: FirstCheckTraces, useClass: PostgresFirstCheckTraces },
        { provide: OperatorAssignmentRepository, useClass: PostgresOperatorAssignmentRepository },
        { provide: OperatorLoadRepository, useClass: PostgresOperatorLoadRepository },
        { provide: PlanMinimumRepository, useClass: PostgresPlanMinimumRepository },
        { provide: SuspensionRepository, useClass: PostgresSuspensionRepository },
        { provide: WatchlistPageReader, useClass: PostgresWatchlistPageReader },
        { provide: WatchlistExportReader, useClass: PostgresWatchlistExportReader },
        ...(includesRole(role, 'scheduler') ? [CheckClaims, ...SCHEDULER_TASKS] : []),
        ...(includesRole(role, 'worker') ? [CheckProcessor, WorkerWatchdog, StopStalledWorker, ...WORKER_TASKS] : []),
      ],
    };
  }

  /** A live check also updates the watch, so that list and check agree; what the watch does not believe, a check does not. */
  onModuleInit(): void {
    this.repair.register(...WATCHLIST_REPAIRS);
    this.use.registerCounter('entries', (accountId) => this.pages.countEntries(accountId));
    this.handlers.afterCommit('watchlist.', logMoves);
    this.handlers.subscribe('history.', (events) => this.history.run(events));
    this.lookups.subscribe((name, result, asker) => this.observe.applyUnleased(name, result, asker));
    this.canaries.setWatchQuery((tld, count) => this.names.findRegistered(tld, count));
    this.trust.setWatchQueries({
      areDropsHeld: (registry) => this.brakes.isHeld(registry),
      isVetoed: (name) => this.names.isVetoed(name),
    });
    this.accounts.setWatchQuery((asker, name, since) => this.entries.isWatching(asker, name, since));
  }
}
