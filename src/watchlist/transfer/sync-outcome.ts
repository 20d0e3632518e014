import type { SyncedField } from './synced-entry.js';
import type { LineOutcome } from './validated-lines.js';

export interface SyncOptions {
  /** Only entries with this tag are changed or removed, and every line gets it. */
  readonly scopeTag: string;
  /** How many entries that the file does not name may be removed; null removes none. */
  readonly maxRemovals: number | null;
}

/** The outcome of a line of a sync. */
export type SyncedLine =
  | LineOutcome
  | { readonly line: number; readonly domain: string | null; readonly outcome: 'skipped' }
  | {
      readonly line: number;
      readonly domain: string;
      readonly outcome: 'changed';
      readonly id: string;
      /** By their names in the API. */
      readonly fields: readonly SyncedField[];
    };

/** The outcome of a line, or of an entry with the tag that the file does not name. */
export type SyncOutcome =
  | SyncedLine
  | { readonly line: null; readonly domain: string; readonly outcome: 'removed' | 'unlisted'; readonly id: string };
