import type { LifecyclePhase } from '../../domains/language.js';
import type { PendingConfirmation } from '../domain/confirmation.js';
import type { ExpectedRecord } from '../domain/expected-record.js';
import type { Renewal } from '../domain/renewal.js';
import type { Intent } from '../domain/watch-events.js';
import type { WatchlistRow } from './watchlist-page-reader.js';

/** All that an entry shows, as stored in its row and that of its name. */
export interface EntryDetails extends WatchlistRow {
  readonly phase: LifecyclePhase;
  readonly expires_at: Date | null;
  readonly expiring_window_days: number;
  readonly plan_floor_minutes: number;
  /** Delay because the operator's budget is too small; 0 when it suffices or is unknown. */
  readonly budget_delay_minutes: number;
  readonly next_check_at: Date | null;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
  /** null: the default ones. */
  readonly remindDays: readonly number[] | null;
  readonly renewal: Renewal | null;
  readonly expected: ExpectedRecord | null;
  readonly change_seq: number;
  readonly pending: PendingConfirmation | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly failure_code: string | null;
  readonly updated_at: Date;
}

/** One statement each, outside of any transaction. */
export abstract class EntryReader {
  abstract findDetails(accountId: string, id: string): Promise<EntryDetails | null>;
  /** In no order; ids without an entry are left out. */
  abstract findAllDetails(accountId: string, ids: readonly string[]): Promise<readonly EntryDetails[]>;
  abstract exists(accountId: string, id: string): Promise<boolean>;
}
