import type { EntryStatus, LifecyclePhase } from '../../domains/language.js';
import type { Purpose } from './entry-settings.js';

/** Which entries of an account are meant; a filter that is left out lets all pass. */
export interface EntryFilters {
  readonly accountId: string;
  readonly status?: EntryStatus | undefined;
  /** Prefix of the name, in lower case. */
  readonly domain?: string | undefined;
  /** An entry must have all of them. */
  readonly tags?: readonly string[] | undefined;
  /** Is contained in the name in one of its forms, in a tag or in the note, whatever its case. */
  readonly search?: string | undefined;
  readonly phase?: LifecyclePhase | undefined;
  readonly purpose?: Purpose | undefined;
  readonly paused?: boolean | undefined;
  readonly failing?: boolean | undefined;
  readonly answered?: boolean | undefined;
  /** Whether the registration record is not what the watcher expects. */
  readonly drift?: boolean | undefined;
  /** The expiry date is in this span, both ends included. */
  readonly expires?: readonly [from: Date, to: Date] | undefined;
  /** The name is below one of these top-level domains. */
  readonly tlds?: readonly string[] | undefined;
  /** It is one of these. */
  readonly ids?: readonly string[] | undefined;
  /** This import added the entry. */
  readonly importId?: string | undefined;
}
