import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { AccountUsage } from '../../auth/index.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { CheckScheduleModule } from '../check-schedule.module.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { WatchlistStoreModule } from '../watchlist-store.module.js';
import { EntryController } from './entry.controller.js';
import { EntryPresenter } from './entry-presenter.js';
import { EntryReader } from './entry-reader.repository.js';
import { EntryRevision } from './entry-revision.js';
import { ParseFilters } from './parse-filters.js';
import { SummaryController } from './summary.controller.js';
import { SummaryReader } from './summary.repository.js';
import { WatchlistController } from './watchlist.controller.js';
import { WatchlistPageReader } from './watchlist-page.repository.js';
import { WatchlistService } from './watchlist.service.js';
import { WriteRows } from './write-rows.js';

/** Adds, changes, removes, lists and counts entries. Imports and bulk changes also write through {@link WriteRows}. */
@Module({
  imports: [AuthModule, DomainsModule, CheckScheduleModule, WatchlistStoreModule],
  controllers: [WatchlistController, SummaryController, EntryController],
  providers: [
    EntryPresenter,
    EntryReader,
    EntryRevision,
    ParseFilters,
    SummaryReader,
    WatchlistPageReader,
    WatchlistService,
    WriteRows,
  ],
  exports: [EntryReader, ParseFilters, WriteRows],
})
export class EntriesModule implements OnModuleInit {
  constructor(
    private readonly use: AccountUsage,
    private readonly entries: WatchEntryRepository,
  ) {}

  onModuleInit(): void {
    this.use.registerCounter('entries', (accountId) => this.entries.count(accountId));
  }
}
