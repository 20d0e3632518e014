import { Module } from '@nestjs/common';
import { WatchlistStoreModule } from '../watchlist-store.module.js';
import { HistoryController, RemovedEntriesController } from './history.controller.js';

@Module({ imports: [WatchlistStoreModule], controllers: [RemovedEntriesController, HistoryController] })
export class HistoryModule {}
