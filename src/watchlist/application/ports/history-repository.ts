import type { EntryStatus, Evidence, LifecyclePhase } from '../../../domains/language.js';
import type { HistoryInterval, HistoryPause } from '../../domain/entry/history.js';
import type { Move } from '../../domain/entry/move.js';

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

export interface HistoryPage {
  readonly rows: readonly StoredHistoryInterval[];
  readonly total: number;
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
  /** Empty for another account's entry. Two statements, outside of any transaction. */
  abstract findPage(accountId: string, entryId: string, page: number, perPage: number): Promise<HistoryPage>;
  /** Deletes intervals beyond the plan's retention, in short transactions of its own. @returns how many */
  abstract purge(kept: HistoryRetention, signal?: AbortSignal): Promise<number>;
}
