import { CalendarAddressRepository } from './calendar/calendar-addresses.repository.js';
import { CalendarEntryReader } from './calendar/calendar-entries.repository.js';
import { CalendarService } from './calendar/calendar.service.js';
import { EntryController } from './entries/entry.controller.js';
import { EntryPresenter } from './entries/entry-presenter.js';
import { ParseFilters } from './entries/parse-filters.js';
import { SummaryController } from './entries/summary.controller.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { CalendarAddressController, CalendarController } from './calendar/calendar.controller.js';
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
];
export const presenters = [EntryPresenter, ParseFilters];
/** The providers that only routes need. */
export const calendar = [CalendarService, CalendarAddressRepository, CalendarEntryReader];
