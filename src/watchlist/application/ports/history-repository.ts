import type { EntryStatus, Evidence, LifecyclePhase } from '../../../domains/language.js';
import type { HistoryInterval, HistoryPause } from '../../domain/entry/history.js';
import type { Move } from '../../domain/entry/move.js';

/** An interval as it is read. */
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

/** Since when history is kept, by plan; null for ever. */
export interface HistoryRetention {
  readonly byPlan: ReadonlyMap<string, Date | null>;
  /** For accounts whose plan is none of these any more. */
  readonly fallback: Date | null;
}

/** What entries went through, newest first. */
export abstract class HistoryRepository {
  /** Begins intervals, and ends those before them; inside a unit of work, one statement for all. */
  abstract openIntervals(intervals: readonly HistoryInterval[]): Promise<void>;
  /** Ends an interval for as long as its entry is paused, or lets it go on; inside a unit of work. */
  abstract setPause(setPause: HistoryPause): Promise<void>;
  /** Empty for an entry of another account. Outside of any transaction; two statements. */
  abstract findPage(accountId: string, entryId: string, findPage: number, perPage: number): Promise<HistoryPage>;
  /** Forgets what ended before its account's plan keeps it. Outside of any transaction. @returns how many */
  abstract purge(kept: HistoryRetention): Promise<number>;
}
