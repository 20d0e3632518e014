import type { Evidence, Lifecycle } from '../../../domains/language.js';
import type { Move } from './move.js';

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

/** A pause begins or ends: while it lasts nothing of the name belongs to the entry. */
export interface HistoryPause {
  readonly entryId: string;
  readonly changeSeq: number;
  /** The last proof before the pause; null at its end. */
  readonly lastSeenAt: Date | null;
}
