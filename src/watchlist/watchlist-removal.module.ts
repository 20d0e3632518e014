import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountDataRegistry } from '../auth/index.js';
import { RemoveEntries } from './entries/entry-batch.js';
import { HistoryRepository } from './records/history.repository.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchlistStoreModule } from './watchlist-store.module.js';

/** The part of the watchlist that the command line needs to delete an account. */
@Module({ imports: [AuthModule, WatchlistStoreModule], providers: [RemoveEntries] })
export class WatchlistRemovalModule implements OnModuleInit {
  constructor(
    private readonly parts: AccountDataRegistry,
    private readonly removal: RemoveEntries,
    private readonly entries: WatchEntryRepository,
    private readonly history: HistoryRepository,
  ) {}

  onModuleInit(): void {
    this.parts.add(
      { name: 'entries', deleteBatch: (accountId, limit) => this.removal.run(accountId, limit) },
      { name: 'removed entries', deleteBatch: (accountId, limit) => this.history.removeOfAccount(accountId, limit) },
      { name: 'entry counts', deleteBatch: (accountId) => this.entries.removeCount(accountId) },
    );
  }
}
