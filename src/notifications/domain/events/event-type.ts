export const EVENT_TYPES = [
  'watchlist.available',
  'watchlist.status_changed',
  'watchlist.phase_changed',
  'watchlist.expiring',
  'watchlist.check_failing',
  'watchlist.check_recovered',
  'watchlist.record_changed',
  'channel.disabled',
  'channel.test',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Filters of a channel: a type, or all watchlist events. */
export const EVENT_FILTERS = ['watchlist.*', ...EVENT_TYPES] as const;

/** `watchlist.status_changed` includes `watchlist.available`: a drop is a change of status. */
export function matchesFilter(filter: string, type: string): boolean {
  if (filter.endsWith('.*')) return type.startsWith(filter.slice(0, -1));
  return filter === type || (filter === 'watchlist.status_changed' && type === 'watchlist.available');
}
