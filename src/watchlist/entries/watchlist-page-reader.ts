import type {
  EntryStatus,
  Evidence,
  LifecyclePhase,
  RegistrationFacts,
  RegistrationRecord,
} from '../../domains/language.js';

export const SORT_KEYS = ['created_at', 'domain', 'status', 'last_checked_at', 'expires_at'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** The form of a page, apart from filters and position. */
export interface PageShape {
  readonly sort: SortKey;
  readonly descending: boolean;
  /** Whether facts and evidence are included. */
  readonly expanded: boolean;
}

export interface PageRequest extends PageShape {
  readonly accountId: string;
  readonly status: EntryStatus | undefined;
  /** Prefix of the name, in lower case. */
  readonly domain: string | undefined;
  /** An entry must have all of them. */
  readonly tags: readonly string[] | undefined;
  /** 1-based. */
  readonly page: number;
  readonly perPage: number;
}

/** Phase, facts and evidence of an expanded row. */
interface ConfirmedBackground {
  readonly phase: LifecyclePhase;
  /** null before the first confirmed facts. */
  readonly facts: RegistrationFacts | null;
  readonly evidence: readonly Evidence[];
  /** null before the first record. */
  readonly record: RegistrationRecord | null;
}

/** A list row as stored. */
export interface WatchlistRow {
  readonly id: string;
  readonly domain: string;
  readonly status: EntryStatus;
  readonly interval_minutes: number;
  readonly last_checked_at: Date | null;
  readonly created_at: Date;
  readonly background?: ConfirmedBackground;
  /** In expanded rows: since when checks fail, and the last error. */
  readonly failing_since?: Date | null;
  readonly failure_code?: string | null;
}

export interface Page {
  readonly rows: readonly WatchlistRow[];
  /** All matching entries, also beyond the last page. */
  readonly total: number;
}

/** Reads an account's watchlist in pages; two statements, whatever its size. */
export abstract class WatchlistPageReader {
  abstract findPage(request: PageRequest): Promise<Page>;
  /** One statement. */
  abstract countEntries(accountId: string): Promise<number>;
}
