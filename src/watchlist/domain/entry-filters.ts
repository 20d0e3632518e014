import type { EntryStatus, LifecyclePhase } from '../../domains/language.js';
import type { Purpose } from './entry-settings.js';

export interface EntryFilters {
  readonly accountId: string;
  readonly status?: EntryStatus | undefined;
  readonly domain?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Finds a text in the name, its Unicode form, the tags or the note. Ignores upper and lower case. */
  readonly search?: string | undefined;
  readonly phase?: LifecyclePhase | undefined;
  readonly purpose?: Purpose | undefined;
  readonly paused?: boolean | undefined;
  readonly failing?: boolean | undefined;
  readonly answered?: boolean | undefined;
  /** Whether the registration record differs from what the watcher expects. */
  readonly drift?: boolean | undefined;
  readonly expires?: readonly [from: Date, to: Date] | undefined;
  readonly tlds?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly importId?: string | undefined;
}
