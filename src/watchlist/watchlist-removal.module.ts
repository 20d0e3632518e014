import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountParts } from '../auth/index.js';
import { RemoveEntries } from './application/remove-entries.js';
import { WatchEntries } from './domain/watch-entries.js';
import { WatchedNames } from './domain/watched-names.js';
import { EntryCountRemoval } from './infrastructure/entry-count-removal.js';
import { MikroWatchEntries } from './infrastructure/mikro-watch-entries.js';
import { MikroWatchedNames } from './infrastructure/mikro-watched-names.js';

/** What deleting an account needs of the watchlist, for the command line. */
@Module({
  imports: [AuthModule],
  providers: [
    EntryCountRemoval,
    RemoveEntries,
    { provide: WatchEntries, useClass: MikroWatchEntries },
    { provide: WatchedNames, useClass: MikroWatchedNames },
  ],
})
export class WatchlistRemovalModule implements OnModuleInit {
  constructor(
    private readonly parts: AccountParts,
    private readonly entries: RemoveEntries,
    private readonly counts: EntryCountRemoval,
  ) {}

  onModuleInit(): void {
    this.parts.add(
      { name: 'entries', removeSome: (accountId, limit) => this.entries.run(accountId, limit) },
      { name: 'entry counts', removeSome: (accountId) => this.counts.run(accountId) },
    );
  }
}
