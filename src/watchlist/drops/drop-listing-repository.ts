import type { HttpValidators } from '../../domains/index.js';
import type { DropListId, DropListing } from '../../domains/language.js';

/** The copy of a list that was applied last. */
export interface AppliedDropList {
  readonly validators: HttpValidators;
  /** null: none was applied yet. */
  readonly appliedAt: Date | null;
  readonly size: number;
}

/** Which watched names are on the official drop lists. */
export abstract class DropListingRepository {
  /** For one process at a time: null unless the list is due; it is due again at `retryAt`. */
  abstract claim(list: DropListId, now: Date, retryAt: Date): Promise<AppliedDropList | null>;
  abstract postpone(list: DropListId, nextFetchAt: Date): Promise<void>;
  /** Stores those that are watched. */
  abstract store(listings: readonly DropListing[], at: Date): Promise<void>;
  /**
   * Removes what the list no longer has, and makes those names due whose time had not come: renewed, perhaps.
   * @param at of the copy that is stored
   * @returns how many were made due
   */
  abstract removeOlder(list: DropListId, at: Date): Promise<number>;
  abstract markApplied(list: DropListId, applied: AppliedDropList & { readonly nextFetchAt: Date }): Promise<void>;
  /** When a list was applied last. */
  abstract lastAppliedAt(lists: readonly DropListId[]): Promise<Date | null>;
  abstract findSince(lists: readonly DropListId[], since: Date): Promise<readonly DropListing[]>;
  /**
   * Makes names due whose drop comes before `until`, each once; from then on its schedule keeps to the drop window. A
   * name whose checks fail keeps its backoff.
   * @returns how many
   */
  abstract beginDropWindows(lists: readonly DropListId[], now: Date, until: Date): Promise<number>;
}
