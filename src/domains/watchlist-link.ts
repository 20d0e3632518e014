import { Injectable } from '@nestjs/common';
import type { LookupResult } from './domain/lookup/lookup-result.js';
import type { DomainName } from './domain/name/domain-name.js';

/** The watchlist as checks use it. The watchlist's own module provides the implementation. */
export interface Watchlist {
  /** Applies the result of a check to the account's entry for the name, if there is an entry. */
  recordCheck(name: DomainName, result: LookupResult, accountId: string): Promise<void>;
  /** Returns the ids of the account's entries for these names, by A-label. */
  findEntryIds(accountId: string, names: readonly DomainName[]): Promise<ReadonlyMap<string, string>>;
}

const NOTHING_WATCHED: Watchlist = {
  recordCheck: () => Promise.resolve(),
  findEntryIds: () => Promise.resolve(new Map()),
};

/** Gives checks access to the watchlist. Until the watchlist module calls `connect`, no name counts as watched. */
@Injectable()
export class WatchlistLink {
  watchlist = NOTHING_WATCHED;

  connect(watchlist: Watchlist): void {
    this.watchlist = watchlist;
  }
}
