import type { Evidence, Lifecycle } from '../../domains/language.js';
import type { Move } from './move.js';

/** The time that an entry spent in one status and phase. The last interval is open. */
export interface HistoryInterval extends Lifecycle {
  readonly entryId: string;
  /** The value of the entry during the interval: each move begins the next. */
  readonly changeSeq: number;
  /** The move that began it; null at the start of the watch. */
  readonly move: Move | null;
  readonly firstSeenAt: Date;
  /** When the previous state was last confirmed; null when there was none. */
  readonly formerLastSeenAt: Date | null;
  readonly expiresAt: Date | null;
  /** Evidence of the move; of both lookups, where it took two. */
  readonly evidence: readonly Evidence[];
}

/** A pause begins or ends: while paused, nothing is recorded for the entry. */
export interface HistoryPause {
  readonly entryId: string;
  readonly changeSeq: number;
  /** The last confirmation before the pause; null at its end. */
  readonly lastSeenAt: Date | null;
}
