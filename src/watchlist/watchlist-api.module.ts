import { Module } from '@nestjs/common';
import { CalendarModule } from './calendar/calendar.module.js';
import { ClientPagesModule } from './client-pages/client-pages.module.js';
import { EntriesModule } from './entries/entries.module.js';
import { HistoryModule } from './history/history.module.js';
import { ManyModule } from './many/many.module.js';
import { TransferModule } from './transfer/transfer.module.js';

@Module({ imports: [EntriesModule, HistoryModule, ManyModule, TransferModule, CalendarModule, ClientPagesModule] })
export class WatchlistApiModule {}
