import { Injectable } from '@nestjs/common';
import type { LookupResult } from './domain/lookup/lookup-result.js';
import type { DomainName } from './domain/name/domain-name.js';

/** How checks tell the watchlist what they found, and ask it for entries. */
export interface Watchlist {
  /** Applies the result of a check to the watchlist if the account watches the name, so that list and check agree. */
  recordCheck(name: DomainName, result: LookupResult, accountId: string): Promise<void>;
  /** Returns the ids of the account's entries for these names, by A-label. */
  findEntryIds(accountId: string, names: readonly DomainName[]): Promise<ReadonlyMap<string, string>>;
}

const NOTHING_WATCHED: Watchlist = {
  recordCheck: () => Promise.resolve(),
  findEntryIds: () => Promise.resolve(new Map()),
};

/** Gives lookups access to the watchlist, which connects itself at start. Before that, nothing is watched. */
@Injectable()
export class WatchlistLink {
  watchlist = NOTHING_WATCHED;

  connect(watchlist: Watchlist): void {
    this.watchlist = watchlist;
  }
}
