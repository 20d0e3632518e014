import type { EntryStatus, Evidence, LifecyclePhase, RegistrationFacts } from '../../../domains/language.js';

export const SORT_KEYS = ['created_at', 'domain', 'status', 'last_checked_at', 'expires_at'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** What is asked of a list besides which part of it. */
export interface PageShape {
  readonly sort: SortKey;
  readonly descending: boolean;
  /** Whether the facts and their evidence are asked for too. */
  readonly expanded: boolean;
}

export interface PageRequest extends PageShape {
  readonly accountId: string;
  readonly status: EntryStatus | undefined;
  /** The beginning of the name, in lower case. */
  readonly domain: string | undefined;
  /** An entry has to have all of them. */
  readonly tags: readonly string[] | undefined;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** What an entry rests on, where it was asked for. */
export interface ConfirmedBackground {
  readonly phase: LifecyclePhase;
  /** null before the first proof. */
  readonly facts: RegistrationFacts | null;
  readonly evidence: readonly Evidence[];
}

/** An entry as a list shows it, read straight from its row. */
export interface WatchlistRow {
  readonly id: string;
  readonly domain: string;
  readonly status: EntryStatus;
  readonly interval_minutes: number;
  readonly last_checked_at: Date | null;
  readonly created_at: Date;
  readonly background?: ConfirmedBackground;
  /** Where more than the specified fields is asked for: since when looks at the name fail, and how. */
  readonly failing_since?: Date | null;
  readonly failure_code?: string | null;
}

export interface Page {
  readonly rows: readonly WatchlistRow[];
  /** Entries that match in all, also past the end of the pages. */
  readonly total: number;
}

/** An account's watchlist by pages; two statements, whatever its size and whatever is asked. */
export abstract class WatchlistPageReader {
  abstract findPage(request: PageRequest): Promise<Page>;
  /** One statement. */
  abstract countEntries(accountId: string): Promise<number>;
}
