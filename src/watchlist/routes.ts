import { SecretAddressRepository } from './addresses/secret-addresses.repository.js';
import { SecretAddresses } from './addresses/secret-addresses.js';
import { CalendarEntryReader } from './calendar/calendar-entries.repository.js';
import { CalendarService } from './calendar/calendar.service.js';
import { EntryController } from './entries/entry.controller.js';
import { EntryPresenter } from './entries/entry-presenter.js';
import { ParseFilters } from './entries/parse-filters.js';
import { SummaryController } from './entries/summary.controller.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { CalendarAddressController, CalendarController } from './calendar/calendar.controller.js';
import { ClientPageNames } from './client-pages/client-page-names.repository.js';
import { ClientPageController } from './client-pages/client-page.controller.js';
import { ClientPages } from './client-pages/client-pages.js';
import { ClientPagesController } from './client-pages/client-pages.controller.js';
import { HistoryController, RemovedEntriesController } from './history/history.controller.js';
import { ManyController } from './many/many.controller.js';
import { ExportController } from './transfer/export.controller.js';
import { ImportController } from './transfer/import.controller.js';

export const controllers = [
  WatchlistController,
  ManyController,
  SummaryController,
  ImportController,
  ExportController,
  RemovedEntriesController,
  EntryController,
  HistoryController,
  CalendarAddressController,
  CalendarController,
  ClientPagesController,
  ClientPageController,
];
export const presenters = [EntryPresenter, ParseFilters];
export const addressed = [
  SecretAddresses,
  SecretAddressRepository,
  CalendarService,
  CalendarEntryReader,
  ClientPages,
  ClientPageNames,
];
