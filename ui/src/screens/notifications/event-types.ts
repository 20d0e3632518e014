import type { ChannelDetails } from '../../../../clients/typescript/src/index.js';

export type EventFilter = ChannelDetails['event_types'][number];

/** What a channel may be limited to, in the words of the form. */
export const EVENT_FILTERS: readonly { readonly value: EventFilter; readonly label: string }[] = [
  { value: 'watchlist.available', label: 'A name is available' },
  { value: 'watchlist.status_changed', label: 'The status of a name changed' },
  { value: 'watchlist.phase_changed', label: 'The phase of a name changed' },
  { value: 'watchlist.expiring', label: 'Reminders before an expiry' },
  { value: 'watchlist.check_failing', label: 'Checks of a name fail' },
  { value: 'watchlist.check_recovered', label: 'Checks work again' },
  { value: 'watchlist.record_changed', label: 'Name servers, registrar or locks changed' },
  { value: 'channel.disabled', label: 'Another channel was disabled' },
];

export function eventTypeLabel(type: string): string {
  if (type === 'channel.test') return 'A test';
  if (type === 'watchlist.mass_change') return 'The records of many names changed in the same way';
  return EVENT_FILTERS.find(({ value }) => value === type)?.label ?? type;
}
