import type { EntryStatus } from '../../domains/language.js';

export interface PageRequest {
  readonly accountId: string;
  readonly status: EntryStatus | undefined;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** An entry as a list shows it, read straight from its row. */
export interface WatchlistRow {
  readonly id: string;
  readonly domain: string;
  readonly status: EntryStatus;
  readonly interval_minutes: number;
  readonly last_checked_at: Date | null;
  readonly created_at: Date;
}

export interface Page {
  readonly rows: readonly WatchlistRow[];
  /** Entries that match in all, also past the end of the pages. */
  readonly total: number;
}

/** An account's watchlist by pages, newest first; two statements, whatever its size. */
export abstract class WatchlistPages {
  abstract page(request: PageRequest): Promise<Page>;
}
