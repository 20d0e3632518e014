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
import { BulkAddEntries } from './transfer/bulk-add-entries.js';
import { BackgroundThrottle } from './checks/background-throttle.js';
import { EntryBatch } from './entries/entry-batch.js';
import { EntryRevision } from './entries/entry-revision.js';
import { EntryForecast } from './entries/entry-forecast.js';
import { EffectiveIntervalService } from './entries/effective-interval.service.js';
import { PurgeHistory } from './upkeep/purge-history.js';
import { ReassignOperators } from './upkeep/reassign-operators.js';
import { SyncSuspensions } from './upkeep/sync-suspensions.js';
import { EnforcePlanIntervals } from './upkeep/enforce-plan-intervals.js';
import { logMoves } from './entries/log-moves.js';
import { RecordHistory } from './records/record-history.js';
import { MeasureOperatorLoad } from './upkeep/measure-operator-load.js';
import { ChangeTaggedEntries } from './transfer/change-tagged-entries.js';
import { ImportAudit } from './transfer/import-audit.js';
import { ImportWatchlist } from './transfer/import-watchlist.js';
import { SyncWatchlist } from './transfer/sync-watchlist.js';
import { TaggedEntryReader } from './transfer/tagged-entry-reader.js';
import { PostgresTaggedEntryReader } from './transfer/tagged-entries.repository.js';
import { WorkerWatchdog } from './checks/worker-watchdog.js';
import { CheckDueNames } from './checks/check-due-names.js';
import { ResultWriteLimiter } from './checks/result-write-limiter.js';
import { RecordCheckResults } from './checks/record-check-results.js';
import { ConfirmDelegation } from './checks/confirm-delegation.js';
import { ApplyRecordUpdates } from './records/apply-record-updates.js';
import { ApplyCheckResult } from './checks/apply-check-result.js';
import { ClaimDueNames } from './checks/claim-due-names.js';
import { WatchlistService } from './entries/watchlist.service.js';
import { WorkerProgress } from './checks/worker-progress.js';
import { ScheduleLagReader } from './checks/schedule-lag-reader.js';
import { PostgresScheduleLagReader } from './checks/schedule-lag.repository.js';
import { ScheduleMetrics } from './checks/schedule-metrics.js';
import { CountMassChanges } from './records/count-mass-changes.js';
import { ChangeWindowRepository } from './domain/change-window-repository.js';
import { PostgresChangeWindowRepository } from './records/change-windows.repository.js';
import { ReportMassChanges } from './records/report-mass-changes.js';
import { ReleaseDropBrakes } from './drops/release-drop-brakes.js';
import { DropBrakeRepository } from './drops/drop-brake-repository.js';
import { PostgresDropBrakeRepository } from './drops/drop-brakes.repository.js';
import { BulkEntryRepository } from './transfer/bulk-entry-repository.js';
import { CheckSchedule } from './domain/check-schedule.js';
import { OperatorAssignmentRepository } from './upkeep/operator-assignment-repository.js';
import { OperatorLoadRepository } from './upkeep/operator-load-repository.js';
import { SuspensionRepository } from './upkeep/suspension-repository.js';
import { PlanMinimumRepository } from './upkeep/plan-minimum-repository.js';
import { RoutineUpdateRepository } from './checks/routine-update-repository.js';
import { WatchEntryRepository } from './domain/watch-entry-repository.js';
import { WatchlistExportReader } from './transfer/watchlist-export-reader.js';
import { WatchlistPageReader } from './entries/watchlist-page-reader.js';
import { LeaseRepository } from './checks/lease-repository.js';
import { WatchedNameRepository } from './domain/watched-name-repository.js';
import { EntryReader } from './entries/entry-reader.js';
import { FirstCheckTraces } from './domain/first-check-traces.js';
import { msUntilOffset } from './domain/schedule-offset.js';
import { FailureAlertPolicy } from './domain/failure-alert-policy.js';
import { RegistrationRecordRepository } from './records/registration-record-repository.js';
import { HistoryRepository } from './records/history-repository.js';
import { ImportRunRepository } from './transfer/import-run-repository.js';
import { PostgresBulkEntryRepository } from './transfer/bulk-entries.repository.js';
import { PostgresWatchEntryRepository } from './entries/watch-entries.repository.js';
import { PostgresEntryReader } from './entries/entry-reader.repository.js';
import { PostgresRegistrationRecordRepository } from './records/registration-records.repository.js';
import { PostgresHistoryRepository } from './records/history.repository.js';
import { PostgresImportRunRepository } from './transfer/import-runs.repository.js';
import { PostgresWatchedNameRepository } from './checks/watched-names.repository.js';
import { PostgresFirstCheckTraces } from './checks/first-check-traces.repository.js';
import { PostgresLeaseRepository } from './checks/leases.repository.js';
import { PostgresOperatorAssignmentRepository } from './upkeep/operator-assignments.repository.js';
import { PostgresOperatorLoadRepository } from './upkeep/operator-load.repository.js';
import { PostgresSuspensionRepository } from './upkeep/suspensions.repository.js';
import { PostgresPlanMinimumRepository } from './upkeep/plan-minimums.repository.js';
import { PostgresRoutineUpdateRepository } from './checks/routine-updates.repository.js';
import { PostgresWatchlistExportReader } from './transfer/watchlist-export.repository.js';
import { PostgresWatchlistPageReader } from './entries/watchlist-page.repository.js';
import { WatchlistMetrics } from './checks/watchlist-metrics.js';
import { BeginDropWindows } from './drops/begin-drop-windows.js';
import { LoadListedDrops } from './drops/load-listed-drops.js';
import { RefreshDropLists } from './drops/refresh-drop-lists.js';
import { DropListingRepository } from './drops/drop-listing-repository.js';
import { PostgresDropListingRepository } from './drops/drop-listings.repository.js';
import { WATCHLIST_REPAIRS } from './upkeep/put-back.sql.js';
import { CheckClaims } from './checks/check-claims.js';
import { CheckProcessor } from './checks/check.processor.js';
import { CHECK_QUEUE } from './checks/check.queue.js';
import { StopStalledWorker } from './checks/stop-stalled-worker.js';
import { COMMON_TASKS, SCHEDULER_TASKS, WORKER_TASKS } from './watchlist-tasks.js';

const checkSchedule = {
  provide: CheckSchedule,
  inject: [WatchConfig, TimeUnits, ListedDrops, Clock],
  useFactory: (config: WatchConfig, units: TimeUnits, listed: ListedDrops, clock: Clock) =>
    new CheckSchedule(
      {
        confirmationSpacingMs: config.confirmationSeconds * 1_000,
        pendingDeleteConfirmationSpacingMs: config.pendingDeleteConfirmationSeconds * 1_000,
        expiringWindowDays: config.expiringWindowDays,
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
  useFactory: (config: WatchConfig, units: TimeUnits) => new FailureAlertPolicy(config.checkFailingAfter, units),
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
    const routes = includesRole(role, 'api') ? await import('./routes.js') : null;
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
