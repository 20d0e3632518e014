import { EntryController } from './entries/entry.controller.js';
import { EntryPresenter } from './entries/entry-presenter.js';
import { WatchlistController } from './entries/watchlist.controller.js';
import { HistoryController, RemovedEntriesController } from './history/history.controller.js';
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
export const presenters = [EntryPresenter];
