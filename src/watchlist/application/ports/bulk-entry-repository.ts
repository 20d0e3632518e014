import type { Evidence } from '../../../domains/language.js';
import type { WatchEntry } from '../../domain/entry/watch-entry.js';
import type { WatchedName } from '../../domain/watched-name/watched-name.js';

/** A name that was known before somebody wanted to watch it, and what its facts rest on. */
export interface ExistingName {
  readonly watched: WatchedName;
  readonly evidence: readonly Evidence[];
}

/** Many names at once, each question in one statement; inside a unit of work. */
export abstract class BulkEntryRepository {
  /** The entries that the account has for these names: their ids, by name. */
  abstract findEntryIds(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Starts the names that nobody knows.
   * @returns the others, by name, locked until the unit of work ends. All take their locks in the order of the names,
   *   and whoever waits for one too long gives up with TransactionConflict: two lists never wait for each other.
   */
  abstract createOrFindNames(starts: readonly WatchedName[]): Promise<ReadonlyMap<string, ExistingName>>;
  /** Adds entries that recorded no event: those that start without a proof. */
  abstract insertWithoutEvents(entries: readonly WatchEntry[]): Promise<void>;
}
