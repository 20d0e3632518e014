import type { Plan } from '../../auth/language.js';
import type { RegistrationRecord } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { expectedAsShown } from './drift.js';
import {
  type EntrySettings,
  type EntrySettingsInput,
  findDifferences,
  MAX_TAGS,
  omitUndefined,
  requireAllowedInterval,
} from './entry-settings.js';

/** A change of many entries: new settings for all entries, and tags that each entry gains or loses. */
export interface ManyChange {
  readonly settings: EntrySettingsInput;
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** Whether the current record of each entry becomes its expected record. Defaults to false. */
  readonly expectCurrent?: boolean;
  /** Whether watchers are notified of the current state even if nothing has changed. Defaults to false. */
  readonly notifyCurrent?: boolean;
}

class TooManyTags extends DomainError {
  constructor() {
    super('invalid_request', `A name may have ${MAX_TAGS} tags.`);
  }
}

class NothingToExpect extends DomainError {
  constructor() {
    super('invalid_request', 'The registry shows no name servers, registrar or lock of this name.');
  }
}

/**
 * @param shown the current record, needed only with `expectCurrent`
 * @returns null if the change alters nothing
 * @throws IntervalNotAllowed, TooManyTags, or NothingToExpect if the record shows no value to expect
 */
export function settingsToChange(
  entry: EntrySettings,
  { settings, addTags, removeTags, expectCurrent = false }: ManyChange,
  plan: Plan,
  shown: RegistrationRecord | null = null,
): Partial<EntrySettings> | null {
  const kept = entry.tags.filter((tag) => !removeTags.includes(tag));
  const tags = settings.tags ?? [...new Set([...kept, ...addTags])];
  const expected = expectCurrent ? expectedAsShown(shown) : null;
  if (expectCurrent && expected === null) throw new NothingToExpect();
  const desired: Partial<EntrySettings> = { ...omitUndefined(settings), tags, ...(expected && { expected }) };
  const differing = findDifferences(entry, desired);
  if (differing.length === 0) return null;
  const changed: Partial<EntrySettings> = Object.fromEntries(differing.map((key) => [key, desired[key]]));
  requireAllowedInterval(plan, entry, changed);
  if (changed.tags && tags.length > MAX_TAGS) throw new TooManyTags();
  return changed;
}
