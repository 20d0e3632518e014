export const EVENT_TYPES = [
  'watchlist.available',
  'watchlist.status_changed',
  'watchlist.phase_changed',
  'watchlist.expiring',
  'watchlist.check_failing',
  'watchlist.check_recovered',
  'watchlist.record_changed',
  'watchlist.mass_change',
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

/** A channel is sent `watchlist.mass_change` in place of many `watchlist.record_changed`. */
export function matchesChannelFilter(filter: string, type: string): boolean {
  return matchesFilter(filter, type) || (filter === 'watchlist.record_changed' && type === 'watchlist.mass_change');
}
