import { Injectable } from '@nestjs/common';
import type { LookupResult } from './domain/lookup/lookup-result.js';
import type { DomainName } from './domain/name/domain-name.js';

/** What the watchlist says of registries and names, and what it is told. */
export interface Watchlist {
  /** @param accountId the account that caused the check, with account isolation; else null */
  recordCheck(name: DomainName, result: LookupResult, accountId: string | null): Promise<void>;
  /** Drops are counted, and held when there are too many: over all TLDs of the operator. */
  areDropsHeld(registry: { readonly operator: string; readonly tld: string }): Promise<boolean>;
  /** Whether the absence of a watched name waits for the parent zone to stop delegating it. */
  isVetoed(name: DomainName): Promise<boolean>;
  /** Watched names of a TLD that are confirmed as registered, the latest confirmed first. */
  findRegistered(tld: string, count: number): Promise<readonly string[]>;
  /** Whether the account has been watching the name since then. */
  isWatching(accountId: string, name: DomainName, since: Date): Promise<boolean>;
  /** Finds the ids of the account's entries for these names, by A-label. */
  findEntryIds(accountId: string, names: readonly DomainName[]): Promise<ReadonlyMap<string, string>>;
}

const NOTHING_WATCHED: Watchlist = {
  recordCheck: () => Promise.resolve(),
  areDropsHeld: () => Promise.resolve(false),
  isVetoed: () => Promise.resolve(false),
  findRegistered: () => Promise.resolve([]),
  isWatching: () => Promise.resolve(false),
  findEntryIds: () => Promise.resolve(new Map()),
};

/** Leads to the watchlist, which connects itself at start: nothing is watched before, and lookups work without it. */
@Injectable()
export class WatchlistLink {
  watchlist = NOTHING_WATCHED;

  connect(watchlist: Watchlist): void {
    this.watchlist = watchlist;
  }
}
