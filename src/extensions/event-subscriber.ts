import type { DomainEvent } from '../kernel/domain-event.js';
import type { ChannelDisabled } from '../notifications/index.js';
import type {
  ChangeEventData,
  ExpiringEventData,
  FailingEventData,
  RecordChangedEventData,
} from '../watchlist/language.js';

/** The events for subscribers, by type, with their payload: the `data` of the webhook of the same name. */
export interface EventPayloads {
  readonly 'watchlist.available': ChangeEventData;
  readonly 'watchlist.status_changed': ChangeEventData;
  readonly 'watchlist.phase_changed': ChangeEventData;
  readonly 'watchlist.expiring': ExpiringEventData;
  readonly 'watchlist.check_failing': FailingEventData;
  readonly 'watchlist.check_recovered': FailingEventData;
  readonly 'watchlist.record_changed': RecordChangedEventData;
  /** The service disabled a channel. */
  readonly 'channel.disabled': ChannelDisabled;
  /** An entry was removed from a watchlist. No webhook is sent for this. */
  readonly 'entry.removed': { readonly entry_id: string };
}

export type EventType = keyof EventPayloads;

/**
 * An event type, or all event types of the watchlist. With `watchlist.status_changed` you also get
 * `watchlist.available`.
 */
export type EventFilter = EventType | 'watchlist.*';

const EVENT_TYPES: Readonly<Record<EventType, true>> = {
  'watchlist.available': true,
  'watchlist.status_changed': true,
  'watchlist.phase_changed': true,
  'watchlist.expiring': true,
  'watchlist.check_failing': true,
  'watchlist.check_recovered': true,
  'watchlist.record_changed': true,
  'channel.disabled': true,
  'entry.removed': true,
};

export const EVENT_FILTERS: readonly string[] = [...Object.keys(EVENT_TYPES), 'watchlist.*'];

type TypesOf<Filter extends EventFilter> = Filter extends 'watchlist.*'
  ? Extract<EventType, `watchlist.${string}`>
  : Filter extends 'watchlist.status_changed'
    ? Filter | 'watchlist.available'
    : Exclude<Filter, 'watchlist.*'>;

/** An event that matches the filter. Comparing `event.type` narrows `event.payload`. */
export type EventOf<Filter extends EventFilter> = {
  [Type in TypesOf<Filter>]: DomainEvent<EventPayloads[Type]> & { readonly type: Type };
}[TypesOf<Filter>];

/**
 * Writes to the extension's tables in the transaction of a change. An injected `EntityManager` belongs to this
 * transaction.
 */
export abstract class EventSubscriber<Filter extends EventFilter = EventFilter> {
  abstract readonly filters: readonly Filter[];

  /**
   * Runs before the commit, once for all matching events of the transaction, the oldest first. Do not wait for a
   * network. If `handle` throws, the change is undone and tried again later, so events with the same ids may come
   * again.
   */
  abstract handle(events: readonly EventOf<Filter>[]): Promise<void>;
}
