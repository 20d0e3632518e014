import type { EntryStatus } from '../../domains/language.js';
import type { ExpectedRecord } from '../domain/expected-record.js';
import type { Renewal } from '../domain/renewal.js';
import type { Intent } from '../domain/watch-events.js';

/** An exported entry: all that an import accepts, and its current state. */
export interface ExportedEntry {
  readonly domain: string;
  readonly interval_minutes: number;
  readonly expiring_window_days: number;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
  /** null until an answer of the registry was confirmed. */
  readonly status: EntryStatus | null;
  readonly expires_at: Date | null;
  readonly last_checked_at: Date | null;
  /** null: the default ones. */
  readonly remind_days: readonly number[] | null;
  readonly renewal: Renewal | null;
  readonly expected: ExpectedRecord | null;
}

/** Reads an account's watchlist by name, in pieces. */
export abstract class WatchlistExportReader {
  /** The entries after this name; one statement, whose cost does not depend on the position. */
  abstract findAfter(accountId: string, domain: string, limit: number): Promise<readonly ExportedEntry[]>;
}
