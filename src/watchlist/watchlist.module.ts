import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { WatchConfig } from '../config/sections.js';
import { DomainsModule } from '../domains/domains.module.js';
import { computeListedDropWindow, EXPIRING_WINDOW_DAYS, forecastDropWindow } from '../domains/language.js';
import { ListedDrops, WatchlistLink } from '../domains/index.js';
import { Clock } from '../kernel/clock.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { EntryBatch } from './entries/entry-batch.js';
import { EntryRevision } from './entries/entry-revision.js';
import { PurgeHistory } from './upkeep/purge-history.js';
import { FollowAccounts } from './upkeep/follow-accounts.js';
import { ChangeMany } from './many/change-many.js';
import { MatchingEntryReader } from './entries/matching-entries.repository.js';
import { WriteRows } from './entries/write-rows.js';
import { ImportWatchlist } from './transfer/import-watchlist.js';
import { BackgroundThrottle } from './checks/background-throttle.js';
import { CheckDueNames, ConfirmDelegation } from './checks/check-due-names.js';
import { RecordCheckResults } from './checks/record-check-results.js';
import { ApplyRecordUpdates } from './records/apply-record-updates.js';
import { ApplyCheckResult } from './checks/apply-check-result.js';
import { ClaimDueNames } from './checks/claim-due-names.js';
import { CheckClaims } from './checks/check-claims.js';
import { WatchlistService } from './entries/watchlist.service.js';
import { ScheduleLagRepository } from './checks/schedule-lag.repository.js';
import { WatchlistMetrics } from './checks/watchlist-metrics.js';
import { RowEntryRepository } from './entries/row-entries.repository.js';
import { CheckSchedule, msUntilOffset } from './domain/check-schedule.js';
import { FollowedAccountRepository } from './upkeep/followed-accounts.repository.js';
import { RoutineUpdateRepository } from './checks/routine-updates.repository.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchlistExportReader } from './transfer/watchlist-export.repository.js';
import { SummaryReader } from './entries/summary.repository.js';
import { WatchlistPageReader } from './entries/watchlist-page.repository.js';
import { LeaseRepository } from './checks/leases.repository.js';
import type { RecordEnd } from './domain/watched-name.js';
import { WatchedNameRepository } from './watched-names.repository.js';
import { EntryReader } from './entries/entry-reader.repository.js';
import { FailureAlertPolicy } from './domain/failure-alert-policy.js';
import { RegistrationRecordRepository } from './records/registration-records.repository.js';
import { HistoryRepository } from './records/history.repository.js';
import { FollowDropLists } from './drops/drop-lists.js';
import { DropListingRepository } from './drops/drop-listings.repository.js';
import { WATCHLIST_REPAIRS } from './upkeep/put-back.sql.js';
import { CheckProcessor } from './checks/check.processor.js';
import { COMMON_TASKS, SCHEDULER_TASKS } from './watchlist-tasks.js';

const checkSchedule = {
  provide: CheckSchedule,
  inject: [WatchConfig, TimeUnits, ListedDrops, Clock],
  useFactory: (config: WatchConfig, units: TimeUnits, listed: ListedDrops, clock: Clock) =>
    new CheckSchedule(
      {
        confirmationSpacingMs: config.confirmationSeconds * 1_000,
        pendingDeleteConfirmationSpacingMs: config.pendingDeleteConfirmationSeconds * 1_000,
        expiringWindowDays: EXPIRING_WINDOW_DAYS,
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
  inject: [TimeUnits],
  useFactory: (units: TimeUnits) => new FailureAlertPolicy(units),
};

@Module({})
export class WatchlistModule implements OnModuleInit {
  constructor(
    private readonly link: WatchlistLink,
    private readonly observe: ApplyCheckResult,
    private readonly handlers: EventBus,
    private readonly history: HistoryRepository,
    private readonly records: RegistrationRecordRepository,
    private readonly pages: WatchlistPageReader,
    private readonly use: AccountUsage,
    private readonly entries: WatchEntryRepository,
    private readonly repair: RepairAfterPutBack,
  ) {}

  /** Loads controllers only in processes that serve the API, because they take as much memory as the checks. */
  static async register(role: ProcessRole): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./routes.js') : null;
    return {
      module: WatchlistModule,
      imports: [AuthModule, DomainsModule.register(role), QueueModule],
      controllers: routes?.controllers ?? [],
      providers: [
        ...(routes ? [...routes.presenters, ...routes.addressed] : []),
        checkSchedule,
        failureAlertPolicy,
        PurgeHistory,
        FollowAccounts,
        EntryBatch,
        EntryRevision,
        WatchlistService,
        ImportWatchlist,
        ChangeMany,
        MatchingEntryReader,
        RowEntryRepository,
        WriteRows,
        ApplyCheckResult,
        ApplyRecordUpdates,
        ConfirmDelegation,
        BackgroundThrottle,
        CheckDueNames,
        RecordCheckResults,
        WatchlistMetrics,
        ScheduleLagRepository,
        ClaimDueNames,
        FollowDropLists,
        DropListingRepository,
        ...COMMON_TASKS,
        RoutineUpdateRepository,
        WatchEntryRepository,
        WatchedNameRepository,
        RegistrationRecordRepository,
        HistoryRepository,
        EntryReader,
        LeaseRepository,
        FollowedAccountRepository,
        WatchlistPageReader,
        SummaryReader,
        WatchlistExportReader,
        ...(includesRole(role, 'scheduler') ? [CheckClaims, ...SCHEDULER_TASKS] : []),
        ...(includesRole(role, 'worker') ? [CheckProcessor] : []),
      ],
    };
  }

  /** Also applies live checks to the watchlist, so that the list and the check agree. */
  onModuleInit(): void {
    this.repair.register(...WATCHLIST_REPAIRS);
    this.use.registerCounter('entries', (accountId) => this.pages.countEntries(accountId));
    this.handlers.subscribe('record.', (events) => this.records.end(events.map(({ payload }) => payload as RecordEnd)));
    this.handlers.subscribe('history.', (events) => this.history.record(events));
    this.link.connect({
      recordCheck: (name, result, accountId) => this.observe.applyCheck(name, result, accountId),
      findEntryIds: (accountId, names) => this.entries.findIds(accountId, names),
    });
  }
}
