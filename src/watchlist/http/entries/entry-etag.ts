import { editionOf } from '../../../platform/http/hooks/conditional-requests.js';
import type { EntryDetails } from '../../domain/entry-details.js';
import type { WatchEntry, WatchWishes } from '../../domain/watch-entry.js';

/** What its watcher chose; what looks find out is no edition of its own. */
function settingsEtagVersion({ intervalMinutes, expiringWindowDays, paused, tags, note, intent }: WatchWishes): string {
  return editionOf([intervalMinutes, expiringWindowDays, paused, tags, note, intent]);
}

export function entryEtagVersion(entry: WatchEntry): string {
  return settingsEtagVersion(entry);
}

/** The same of the rows that an entry is shown from. */
export function detailsEtagVersion(details: EntryDetails): string {
  const { interval_minutes: intervalMinutes, expiring_window_days: expiringWindowDays } = details;
  return settingsEtagVersion({ ...details, intervalMinutes, expiringWindowDays });
}
