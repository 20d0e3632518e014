import type { EntryStatus, Evidence, Lifecycle, LifecyclePhase } from '../../../domains/language.js';
import type { Move } from '../../domain/entry/move.js';

/** For how long an entry was in one status and phase. The last one has no end yet. */
export interface HistoryInterval extends Lifecycle {
  readonly entryId: string;
  /** Of the entry while it lasts: each move begins the next. */
  readonly changeSeq: number;
  /** What began it; null where the watch itself did. */
  readonly move: Move | null;
  readonly firstSeenAt: Date;
  /** The last proof of what was before; null where there was none. */
  readonly formerLastSeenAt: Date | null;
  readonly expiresAt: Date | null;
  /** What the move rests on; both looks, where it took two. */
  readonly evidence: readonly Evidence[];
}

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

/** A pause begins or ends: while it lasts nothing of the name belongs to the entry. */
export interface HistoryPause {
  readonly entryId: string;
  readonly changeSeq: number;
  /** The last proof before the pause; null at its end. */
  readonly lastSeenAt: Date | null;
}

/** Since when history is kept, by plan; null for ever. */
export interface HistoryRetention {
  readonly byPlan: ReadonlyMap<string, Date | null>;
  /** For accounts whose plan is none of these any more. */
  readonly otherwise: Date | null;
}

/** What entries went through, newest first. */
export abstract class HistoryRepository {
  /** Begins intervals, and ends those before them; inside a unit of work, one statement for all. */
  abstract open(intervals: readonly HistoryInterval[]): Promise<void>;
  /** Ends an interval for as long as its entry is paused, or lets it go on; inside a unit of work. */
  abstract pause(pause: HistoryPause): Promise<void>;
  /** Empty for an entry of another account. Outside of any transaction; two statements. */
  abstract page(accountId: string, entryId: string, page: number, perPage: number): Promise<HistoryPage>;
  /** Forgets what ended before its account's plan keeps it. Outside of any transaction. @returns how many */
  abstract forget(kept: HistoryRetention): Promise<number>;
}
