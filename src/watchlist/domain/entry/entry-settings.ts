import type { DomainName } from '../../../domains/language.js';
import type { Intent } from './watch-events.js';

/** What a watcher may choose. */
export interface EntrySettings {
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
}

export interface NewWatch extends EntrySettings {
  readonly accountId: string;
  readonly domain: DomainName;
}
