import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { DomainsModule } from '../domains/domains.module.js';
import { SecretAddresses } from './addresses/secret-addresses.js';
import { SecretAddressRepository } from './addresses/secret-addresses.repository.js';
import { CalendarEntryReader } from './calendar/calendar-entries.repository.js';
import { CalendarAddressController, CalendarController } from './calendar/calendar.controller.js';
import { CalendarService } from './calendar/calendar.service.js';
import { CheckScheduleModule } from './check-schedule.module.js';
import { ClientPageNames } from './client-pages/client-page-names.repository.js';
import { ClientPages } from './client-pages/client-pages.js';
import { ClientPageController, ClientPagesController } from './client-pages/client-pages.controller.js';
import { EntryController } from './entries/entry.controller.js';
import { EntryPresenter } from './entries/entry-presenter.js';
import { EntryReader } from './entries/entry-reader.repository.js';
import { EntryRevision } from './entries/entry-revision.js';
import { ParseFilters } from './entries/parse-filters.js';
import { SummaryController } from './entries/summary.controller.js';
import { SummaryReader } from './entries/summary.repository.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { WatchlistPageReader } from './entries/watchlist-page.repository.js';
import { WatchlistService } from './entries/watchlist.service.js';
import { WriteRows } from './entries/write-rows.js';
import { HistoryController, RemovedEntriesController } from './history/history.controller.js';
import { ChangeMany } from './many/change-many.js';
import { ManyController } from './many/many.controller.js';
import { ExportController } from './transfer/export.controller.js';
import { ImportController } from './transfer/import.controller.js';
import { ImportWatchlist } from './transfer/import-watchlist.js';
import { WatchlistExportReader } from './transfer/watchlist-export.repository.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchlistStoreModule } from './watchlist-store.module.js';

/** The routes of the watchlist. All of them write entries through {@link WriteRows}. */
@Module({
  imports: [AuthModule, DomainsModule, CheckScheduleModule, WatchlistStoreModule],
  controllers: [
    WatchlistController,
    SummaryController,
    EntryController,
    RemovedEntriesController,
    HistoryController,
    ManyController,
    ImportController,
    ExportController,
    CalendarAddressController,
    CalendarController,
    ClientPagesController,
    ClientPageController,
  ],
  providers: [
    CalendarEntryReader,
    CalendarService,
    ChangeMany,
    ClientPageNames,
    ClientPages,
    EntryPresenter,
    EntryReader,
    EntryRevision,
    ImportWatchlist,
    ParseFilters,
    SecretAddresses,
    SecretAddressRepository,
    SummaryReader,
    WatchlistExportReader,
    WatchlistPageReader,
    WatchlistService,
    WriteRows,
  ],
})
export class WatchlistApiModule implements OnModuleInit {
  constructor(
    private readonly use: AccountUsage,
    private readonly entries: WatchEntryRepository,
  ) {}

  onModuleInit(): void {
    this.use.registerCounter('entries', (accountId) => this.entries.count(accountId));
  }
}
