import type { DropListId, DropListing } from '../domain/deletion/drop-listing.js';

/** What a server gave with a document, to ask whether there is a newer one (RFC 9110 §13.1). */
export interface HttpValidators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A list that was read from its first to its last row without a mistake. */
export interface FetchedDropList {
  readonly kind: 'fetched';
  readonly validators: HttpValidators;
  readonly size: number;
  /** In the order of the list; those whose time has passed are left out. Can be read again. */
  readonly listings: () => AsyncIterable<DropListing>;
}

export type DropListResult =
  | FetchedDropList
  | { readonly kind: 'unchanged' }
  /** Not reached, not whole, or not such a list. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** The official drop lists of the settings. */
export abstract class DropListSource {
  abstract readonly lists: readonly DropListId[];
  /** @param known of the copy that was applied last */
  abstract fetch(list: DropListId, known: HttpValidators): Promise<DropListResult>;
}
