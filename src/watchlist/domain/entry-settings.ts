import type { DomainName } from '../../domains/language.js';
import type { ExpectedRecord } from './expected-record.js';
import type { Renewal } from './renewal.js';
import type { Intent } from './watch-events.js';

export const MAX_TAGS = 20;

/** What a watcher may choose. */
export interface EntrySettings {
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
  /** Days before the expiry, descending; null: the default ones. */
  readonly remindDays: readonly number[] | null;
  /** When the watcher has to renew, for a name whose registry publishes no expiry. It moves no status. */
  readonly renewal: Renewal | null;
  /** What the registration record should be; null: anything. It moves no status. */
  readonly expected: ExpectedRecord | null;
}

export interface NewWatch extends EntrySettings {
  readonly accountId: string;
  readonly domain: DomainName;
}
