import type { EventFilter, EventOf, EventPayloads, EventType } from '../extensions/event-subscriber.js';
import { newId } from '../kernel/identifier.js';
import { matchesFilter } from '../notifications/index.js';
import { exampleEvents as exampleWatchlistEvents } from '../watchlist/language.js';

const OTHER_PAYLOADS = {
  'channel.disabled': { channel_id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx', type: 'webhook', reason: 'failing' },
  'entry.removed': { entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
} as const satisfies Partial<EventPayloads>;

/** The events of a name from its last reminder to its release, and one of every other type that the filters name. */
export function createExampleEvents(filters: readonly EventFilter[], accountId: string): EventOf<EventFilter>[] {
  const watchlist = exampleWatchlistEvents().map(({ type, payload, occurredAt }) => ({ type, payload, occurredAt }));
  const occurredAt = watchlist.at(-1)?.occurredAt ?? new Date();
  const others = Object.entries(OTHER_PAYLOADS).map(([type, payload]) => ({ type, payload, occurredAt }));
  return [...watchlist, ...others]
    .filter(({ type }) => filters.some((filter) => matchesFilter(filter, type)))
    .map((event) => ({ ...event, id: newId('evt'), accountId, type: event.type as EventType }) as EventOf<EventFilter>);
}
