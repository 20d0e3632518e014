import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountDataRegistry } from '../auth/index.js';
import { EntryBatch } from './application/entries/entry-batch.js';
import { RemoveEntries } from './application/entries/remove-entries.js';
import { WatchEntryRepository } from './domain/entry/watch-entry-repository.js';
import { WatchedNameRepository } from './domain/watched-name/watched-name-repository.js';
import { ChangeWindowRemoval } from './infrastructure/repositories/change-window-removal.js';
import { EntryCountRemoval } from './infrastructure/repositories/entry-count-removal.js';
import { RemovedEntryRemoval } from './infrastructure/repositories/removed-entry-removal.js';
import { PostgresWatchEntryRepository } from './infrastructure/repositories/postgres-watch-entry-repository.js';
import { PostgresWatchedNameRepository } from './infrastructure/repositories/postgres-watched-name-repository.js';

/** The part of the watchlist that deleting an account needs, for the command line. */
@Module({
  imports: [AuthModule],
  providers: [
    ChangeWindowRemoval,
    EntryBatch,
    EntryCountRemoval,
    RemoveEntries,
    RemovedEntryRemoval,
    { provide: WatchEntryRepository, useClass: PostgresWatchEntryRepository },
    { provide: WatchedNameRepository, useClass: PostgresWatchedNameRepository },
  ],
})
export class WatchlistRemovalModule implements OnModuleInit {
  constructor(
    private readonly parts: AccountDataRegistry,
    private readonly entries: RemoveEntries,
    private readonly counts: EntryCountRemoval,
    private readonly removed: RemovedEntryRemoval,
    private readonly windows: ChangeWindowRemoval,
  ) {}

  onModuleInit(): void {
    this.parts.add(
      { name: 'entries', deleteBatch: (accountId, limit) => this.entries.run(accountId, limit) },
      { name: 'removed entries', deleteBatch: (accountId, limit) => this.removed.run(accountId, limit) },
      { name: 'held changes', deleteBatch: (accountId, limit) => this.windows.removeNames(accountId, limit) },
      { name: 'change windows', deleteBatch: (accountId, limit) => this.windows.run(accountId, limit) },
      { name: 'entry counts', deleteBatch: (accountId) => this.counts.run(accountId) },
    );
  }
}
