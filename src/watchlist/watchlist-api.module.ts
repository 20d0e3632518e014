import { Module } from '@nestjs/common';
import { CalendarModule } from './calendar/calendar.module.js';
import { ClientPagesModule } from './client-pages/client-pages.module.js';
import { EntriesModule } from './entries/entries.module.js';
import { HistoryController, RemovedEntriesController } from './history/history.controller.js';
import { ManyModule } from './many/many.module.js';
import { TransferModule } from './transfer/transfer.module.js';
import { WatchlistStoreModule } from './watchlist-store.module.js';

@Module({
  imports: [EntriesModule, ManyModule, TransferModule, CalendarModule, ClientPagesModule, WatchlistStoreModule],
  controllers: [RemovedEntriesController, HistoryController],
})
export class WatchlistApiModule {}
