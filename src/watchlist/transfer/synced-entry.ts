import type { EntrySettings } from '../domain/entry-settings.js';
import type { TaggedEntry } from './tagged-entries.repository.js';

type Described = Pick<
  EntrySettings,
  'intervalMinutes' | 'expiringWindowDays' | 'tags' | 'note' | 'intent' | 'remindDays' | 'renewal' | 'expected'
>;

/**
 * The settings that a file describes, by their names in the API, each as a text that is equal for equal settings. The
 * order of tags says nothing. Whether an entry is paused is none of them: a sync leaves what is not here alone.
 */
const FIELDS = {
  interval_minutes: ({ intervalMinutes }) => String(intervalMinutes),
  expiring_window_days: ({ expiringWindowDays }) => String(expiringWindowDays),
  tags: ({ tags }) => JSON.stringify(tags.toSorted()),
  note: ({ note }) => JSON.stringify(note),
  intent: ({ intent }) => intent,
  remind_days: ({ remindDays }) => JSON.stringify(remindDays),
  expected: ({ expected }) => JSON.stringify(expected),
  renewal: ({ renewal }) => JSON.stringify(renewal && [renewal.on, renewal.note]),
} as const satisfies Record<string, (settings: Described) => string>;

export type SyncedField = keyof typeof FIELDS;

/** The fields in which the entry differs from the file. */
export function findDifferences(entry: TaggedEntry, desired: Described): SyncedField[] {
  const fields = Object.keys(FIELDS) as SyncedField[];
  return fields.filter((field) => FIELDS[field](entry) !== FIELDS[field](desired));
}

/** Without the defaults of what a file does not describe. */
export function pickDescribed(settings: Described): Described {
  const { intervalMinutes, expiringWindowDays, tags, note, intent, remindDays, renewal, expected } = settings;
  return { intervalMinutes, expiringWindowDays, tags, note, intent, remindDays, renewal, expected };
}
