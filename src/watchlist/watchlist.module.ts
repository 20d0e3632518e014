import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { DomainsModule } from '../domains/domains.module.js';
import { WatchlistLink } from '../domains/index.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { ApplyCheckResult } from './checks/apply-check-result.js';
import { CheckClaimsModule, ChecksModule, CheckWorkerModule } from './checks/checks.module.js';
import type { RecordEnd } from './domain/watched-name.js';
import { DropListRefreshModule, DropListsModule } from './drops/drop-lists.module.js';
import { HistoryRepository } from './records/history.repository.js';
import { RegistrationRecordRepository } from './records/registration-records.repository.js';
import { WATCHLIST_REPAIRS } from './upkeep/put-back.sql.js';
import { UpkeepModule, UpkeepTasksModule } from './upkeep/upkeep.module.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchlistStoreModule } from './watchlist-store.module.js';

/** Runs the watchlist's tasks for the role of the process. WatchlistApiModule has the endpoints. */
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
    return {
      module: WatchlistModule,
      imports: [
        DomainsModule,
        WatchlistStoreModule,
        ChecksModule,
        DropListsModule,
        UpkeepModule,
        ...(includesRole(role, 'scheduler') ? [CheckClaimsModule, DropListRefreshModule, UpkeepTasksModule] : []),
        ...(includesRole(role, 'worker') ? [CheckWorkerModule] : []),
      ],
    };
  }

  onModuleInit(): void {
    this.repair.register(...WATCHLIST_REPAIRS);
    this.handlers.subscribe('record.', (events) => this.records.end(events.map(({ payload }) => payload as RecordEnd)));
    this.handlers.subscribe('history.', (events) => this.history.record(events));
    // Also applies checks that a person requests, so that the watchlist agrees with their results.
    this.link.connect({
      recordCheck: (name, result, accountId) => this.observe.applyCheck(name, result, accountId),
      findEntryIds: (accountId, names) => this.entries.findIds(accountId, names),
    });
  }
}
