import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountDataRegistry } from '../auth/index.js';
import { EntryBatch } from './entries/entry-batch.js';
import { RemoveEntries } from './entries/remove-entries.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchedNameRepository } from './watched-names.repository.js';
import { ChangeWindowRemoval } from './upkeep/change-window-removal.repository.js';
import { EntryCountRemoval } from './upkeep/entry-count-removal.repository.js';
import { RemovedEntryRemoval } from './upkeep/removed-entry-removal.repository.js';

/** The part of the watchlist that deleting an account needs, for the command line. */
@Module({
  imports: [AuthModule],
  providers: [
    ChangeWindowRemoval,
    EntryBatch,
    EntryCountRemoval,
    RemoveEntries,
    RemovedEntryRemoval,
    WatchEntryRepository,
    WatchedNameRepository,
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
