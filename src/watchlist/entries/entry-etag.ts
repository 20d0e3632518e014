import { computeEtagVersion } from '../../platform/http/hooks/conditional-requests.js';
import type { EntryDetails } from './entry-reader.repository.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import type { EntrySettings } from '../domain/entry-settings.js';

/** Of the settings that the watcher chose; check results do not change the ETag. */
function settingsEtagVersion({
  intervalMinutes,
  expiringWindowDays,
  paused,
  tags,
  note,
  intent,
  remindDays,
  renewal,
  expected,
}: EntrySettings): string {
  // where none is set, the ETag is that of versions without them
  const reminders = remindDays || renewal || expected ? [remindDays, renewal && [renewal.on, renewal.note]] : [];
  return computeEtagVersion([
    intervalMinutes,
    expiringWindowDays,
    paused,
    tags,
    note,
    intent,
    ...reminders,
    ...(expected ? [expected] : []),
  ]);
}

export function entryEtagVersion(entry: WatchEntry): string {
  return settingsEtagVersion(entry);
}

/** The same, from the row that an entry is shown from. */
export function detailsEtagVersion(details: EntryDetails): string {
  const { interval_minutes: intervalMinutes, expiring_window_days: expiringWindowDays } = details;
  return settingsEtagVersion({ ...details, intervalMinutes, expiringWindowDays });
}
