import type { Plan } from '../../auth/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import {
  type EntrySettings,
  type EntrySettingsInput,
  findDifferences,
  MAX_TAGS,
  omitUndefined,
  requireAllowedInterval,
} from './entry-settings.js';

/** A change of many entries: settings that all of them get, and tags that each gains or loses. */
export interface ManyChange {
  readonly settings: EntrySettingsInput;
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** Whether watchers are told the current state although nothing has changed. Defaults to false. */
  readonly notifyCurrent?: boolean;
}

class TooManyTags extends DomainError {
  constructor() {
    super('invalid_request', `A name may have ${MAX_TAGS} tags.`);
  }
}

/**
 * Returns the settings that the change alters in this entry, or null if there are none.
 * @throws IntervalNotAllowed, TooManyTags
 */
export function settingsToChange(
  entry: EntrySettings,
  { settings, addTags, removeTags }: ManyChange,
  plan: Plan,
): Partial<EntrySettings> | null {
  const kept = entry.tags.filter((tag) => !removeTags.includes(tag));
  const tags = settings.tags ?? [...new Set([...kept, ...addTags])];
  const desired: Partial<EntrySettings> = { ...omitUndefined(settings), tags };
  const differing = findDifferences(entry, desired);
  if (differing.length === 0) return null;
  const changed: Partial<EntrySettings> = Object.fromEntries(differing.map((key) => [key, desired[key]]));
  requireAllowedInterval(plan, entry, changed);
  if (changed.tags && tags.length > MAX_TAGS) throw new TooManyTags();
  return changed;
}
