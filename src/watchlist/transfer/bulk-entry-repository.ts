import type { Evidence } from '../../domains/language.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import type { WatchedName } from '../domain/watched-name.js';

/** A name that existed before this addition, with its evidence. */
export interface ExistingName {
  readonly watched: WatchedName;
  readonly evidence: readonly Evidence[];
}

/** Bulk access, one statement per method; inside a unit of work, unless it says otherwise. */
export abstract class BulkEntryRepository {
  /** Those of these names that are known already; outside any transaction. */
  abstract findKnownNames(domains: readonly string[]): Promise<ReadonlySet<string>>;
  /** The ids of the account's entries for these names, by name. */
  abstract findEntryIds(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Inserts unknown names.
   * @returns the existing ones, by name, locked until the unit of work ends. Locks are taken in the order of names, and
   * a long wait fails with TransactionConflict, so two imports never deadlock.
   */
  abstract createOrFindNames(starts: readonly WatchedName[]): Promise<ReadonlyMap<string, ExistingName>>;
  /** Inserts entries without events: those that start without facts. */
  abstract insertWithoutEvents(entries: readonly WatchEntry[]): Promise<void>;
}
