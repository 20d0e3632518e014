import { EntryController } from './entries/entry.controller.js';
import { EntryExpansions } from './entries/entry-expansions.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { HistoryController } from './entries/history.controller.js';
import { RemovedEntriesController } from './entries/removed-entries.controller.js';
import { ExportController } from './export/export.controller.js';
import { ImportController } from './import/import.controller.js';

export const controllers = [
  WatchlistController,
  ImportController,
  ExportController,
  RemovedEntriesController,
  EntryController,
  HistoryController,
];
export const presenters = [EntryExpansions];
