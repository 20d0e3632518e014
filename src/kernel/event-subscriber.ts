import type { DomainEvent } from './domain-event.js';

/** Writes to the extension's own tables in the transaction of a change. */
export abstract class EventSubscriber {
  /** The beginning of the event types that it handles: `watchlist.`, for instance. */
  abstract readonly eventPrefix: string;

  /** Runs inside the transaction; throwing undoes the change. Never waits for a network. */
  abstract handle(events: readonly DomainEvent[]): Promise<void>;
}
