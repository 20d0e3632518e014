import { type DynamicModule, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { DomainsModule } from '../domains/domains.module.js';
import { WatchlistLink } from '../domains/index.js';
import { MINUTE, SECOND } from '../kernel/clock.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { CheckScheduleModule } from './check-schedule.module.js';
import { ApplyCheckResult } from './checks/apply-check-result.js';
import { BackgroundThrottle } from './checks/background-throttle.js';
import { CheckClaims } from './checks/check-claims.js';
import { CheckDueNames, ConfirmDelegation } from './checks/check-due-names.js';
import { CheckProcessor } from './checks/check.processor.js';
import { ClaimDueNames } from './checks/claim-due-names.js';
import { LeaseRepository } from './checks/leases.repository.js';
import { RecordCheckResults } from './checks/record-check-results.js';
import { RoutineUpdateRepository } from './checks/routine-updates.repository.js';
import { WatchlistMetrics } from './checks/watchlist-metrics.js';
import type { RecordEnd } from './domain/watched-name.js';
import { DropListingRepository } from './drops/drop-listings.repository.js';
import { FollowDropLists } from './drops/drop-lists.js';
import { ApplyRecordUpdates } from './records/apply-record-updates.js';
import { HistoryRepository } from './records/history.repository.js';
import { RegistrationRecordRepository } from './records/registration-records.repository.js';
import { FollowAccounts } from './upkeep/follow-accounts.js';
import { FollowedAccountRepository } from './upkeep/followed-accounts.repository.js';
import { PurgeHistory } from './upkeep/purge-history.js';
import { WATCHLIST_REPAIRS } from './upkeep/put-back.sql.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchlistStoreModule } from './watchlist-store.module.js';

/** Every process loads the drop lists: the registries' lists of names that are about to be deleted. */
const loadListedDrops = periodicTask({
  name: 'load-listed-drops',
  service: FollowDropLists,
  intervalMs: MINUTE,
  startDelayMs: 0,
  run: (lists) => lists.load(),
});

/** Tasks of processes with the role `scheduler`. */
const SCHEDULER_TASKS: Provider[] = [
  periodicTask({
    name: 'claim-due-names',
    service: CheckClaims,
    intervalMs: 250,
    restsWhenIdle: true,
    run: (claims) => claims.run(),
  }),
  periodicTask({
    name: 'postpone-poison-names',
    service: ClaimDueNames,
    intervalMs: 10 * SECOND,
    async run(claims, { log }) {
      const domains = await claims.postponePoisonNames();
      if (domains.length > 0)
        log.error({ domains }, 'checks postponed by an hour: too many were started and none finished');
    },
  }),
  periodicTask({
    name: 'refresh-drop-lists',
    service: FollowDropLists,
    intervalMs: MINUTE, // each list stores when it is due
    startDelayMs: 5 * SECOND,
    run: (lists, { signal }) => lists.refreshAll(signal),
  }),
  periodicTask({
    name: 'begin-drop-windows',
    service: FollowDropLists,
    intervalMs: MINUTE,
    async run(lists, { log }) {
      const names = await lists.beginWindows();
      if (names > 0) log.log({ names }, 'due because their drop lists say so');
    },
  }),
  oldData({
    name: 'history',
    service: PurgeHistory,
    async forget(history, signal) {
      const purged = await history.run(signal);
      if (purged.intervals + purged.records + purged.names > 0) return purged;
    },
  }),
  periodicTask({
    name: 'follow-accounts',
    service: FollowAccounts,
    intervalMs: 10 * SECOND,
    async run(accounts, { log, signal }) {
      const names = await accounts.run(signal);
      if (names > 0) log.log({ names }, 'scheduled by the plans and suspensions of their accounts');
    },
  }),
];

/** Checks the names that are due, and does the upkeep. The routes are in WatchlistApiModule. */
@Module({})
export class WatchlistModule implements OnModuleInit {
  constructor(
    private readonly link: WatchlistLink,
    private readonly observe: ApplyCheckResult,
    private readonly handlers: EventBus,
    private readonly history: HistoryRepository,
    private readonly records: RegistrationRecordRepository,
    private readonly entries: WatchEntryRepository,
    private readonly repair: RepairAfterPutBack,
  ) {}

  static register(role: ProcessRole): DynamicModule {
    const [schedules, works] = [includesRole(role, 'scheduler'), includesRole(role, 'worker')];
    return {
      module: WatchlistModule,
      imports: [
        AuthModule,
        DomainsModule,
        CheckScheduleModule,
        WatchlistStoreModule,
        ...(schedules || works ? [QueueModule] : []),
      ],
      providers: [
        ApplyCheckResult,
        ApplyRecordUpdates,
        BackgroundThrottle,
        CheckDueNames,
        ClaimDueNames,
        ConfirmDelegation,
        DropListingRepository,
        FollowAccounts,
        FollowDropLists,
        FollowedAccountRepository,
        LeaseRepository,
        PurgeHistory,
        RecordCheckResults,
        RoutineUpdateRepository,
        WatchlistMetrics,
        loadListedDrops,
        ...(schedules ? [CheckClaims, ...SCHEDULER_TASKS] : []),
        ...(works ? [CheckProcessor] : []),
      ],
    };
  }

  /** Subscribes to events. Applies checks that a person requests, so that the watchlist and the check agree. */
  onModuleInit(): void {
    this.repair.register(...WATCHLIST_REPAIRS);
    this.handlers.subscribe('record.', (events) => this.records.end(events.map(({ payload }) => payload as RecordEnd)));
    this.handlers.subscribe('history.', (events) => this.history.record(events));
    this.link.connect({
      recordCheck: (name, result, accountId) => this.observe.applyCheck(name, result, accountId),
      findEntryIds: (accountId, names) => this.entries.findIds(accountId, names),
    });
  }
}
