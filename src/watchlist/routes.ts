import { EntryController } from './entries/entry.controller.js';
import { EntryExpansions } from './entries/entry-expansions.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { HistoryController } from './history/history.controller.js';
import { RemovedEntriesController } from './history/removed-entries.controller.js';
import { ExportController } from './transfer/export.controller.js';
import { ImportController } from './transfer/import.controller.js';

export const controllers = [
  WatchlistController,
  ImportController,
  ExportController,
  RemovedEntriesController,
  EntryController,
  HistoryController,
];
export const presenters = [EntryExpansions];
