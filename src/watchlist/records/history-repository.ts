import type { EntryStatus, Evidence, LifecyclePhase } from '../../domains/language.js';
import type { HistoryInterval, HistoryPause } from '../domain/history.js';
import type { Move } from '../domain/move.js';

/** An interval as read. */
export interface StoredHistoryInterval {
  readonly status: EntryStatus;
  readonly phase: LifecyclePhase;
  readonly move: Move | null;
  readonly change_seq: number;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date | null;
  readonly evidence: readonly Evidence[];
}

/** What is still known of an entry that was removed. */
export interface RemovedEntry {
  readonly id: string;
  /** As A-label. */
  readonly domain: string;
  readonly addedAt: Date;
  readonly removedAt: Date;
  /** Of the request that removed it; null when none did. */
  readonly requestId: string | null;
}

export interface HistoryPage {
  readonly rows: readonly StoredHistoryInterval[];
  readonly total: number;
  /** null for an entry of the watchlist. */
  readonly removed: RemovedEntry | null;
}

export interface RemovedPage {
  readonly rows: readonly RemovedEntry[];
  readonly total: number;
}

export interface RemovedPageRequest {
  readonly accountId: string;
  /** As A-label; null: of all names. */
  readonly domain: string | null;
  readonly page: number;
  readonly perPage: number;
}

/** Since when history is kept, by plan; null: without limit. */
export interface HistoryRetention {
  readonly byPlan: ReadonlyMap<string, Date | null>;
  /** For accounts with none of these plans. */
  readonly fallback: Date | null;
}

/** History of entries, newest first. */
export abstract class HistoryRepository {
  /** Opens intervals and closes the previous ones; inside a unit of work, one statement for all. */
  abstract openIntervals(intervals: readonly HistoryInterval[]): Promise<void>;
  /** Closes the interval of a paused entry, or reopens it; inside a unit of work. */
  abstract setPause(pause: HistoryPause): Promise<void>;
  /** Keeps the history of entries that are about to be removed; inside their unit of work, one statement for all. */
  abstract keep(entryIds: readonly string[], removal: Pick<RemovedEntry, 'removedAt' | 'requestId'>): Promise<void>;
  /** Whether the account has the entry, or still has its history; one statement, outside of any transaction. */
  abstract exists(accountId: string, entryId: string): Promise<boolean>;
  /** Empty for another account's entry. Two statements, outside of any transaction. */
  abstract findPage(accountId: string, entryId: string, page: number, perPage: number): Promise<HistoryPage>;
  /** Entries that the account removed, the last removed first. Two statements, outside of any transaction. */
  abstract findRemoved(request: RemovedPageRequest): Promise<RemovedPage>;
  /** Deletes intervals and removed entries beyond the plan's retention, in short transactions. @returns how many intervals */
  abstract purge(kept: HistoryRetention, signal?: AbortSignal): Promise<number>;
}
