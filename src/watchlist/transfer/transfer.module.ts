import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { EntriesModule } from '../entries/entries.module.js';
import { ExportController } from './export.controller.js';
import { ImportController } from './import.controller.js';
import { ImportWatchlist } from './import-watchlist.js';
import { WatchlistExportReader } from './watchlist-export.repository.js';

/** Imports and exports a watchlist as a file. */
@Module({
  imports: [AuthModule, DomainsModule, EntriesModule],
  controllers: [ImportController, ExportController],
  providers: [ImportWatchlist, WatchlistExportReader],
})
export class TransferModule {}
