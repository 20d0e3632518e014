import type { EventCursor } from '../../domain/events/event-cursor.js';

/** An event as it is kept, and the place behind it. */
export interface FeedItem {
  readonly cursor: EventCursor;
  readonly type: string;
  /** The bytes that webhooks get. */
  readonly body: string;
}

export interface FeedFilter {
  readonly type?: string | undefined;
  readonly entryId?: string | undefined;
}

export interface FeedRequest extends FeedFilter {
  readonly accountId: string;
  readonly after: EventCursor;
  readonly limit: number;
}

/**
 * The events of an account in one order that never changes behind a reader's back: an event shows when every
 * transaction that could still put one before it has ended.
 */
export abstract class EventFeed {
  abstract after(request: FeedRequest): Promise<FeedItem[]>;
  /** Before the oldest event that is kept. */
  abstract oldest(accountId: string): Promise<EventCursor>;
  /** Behind all that can be shown now. */
  abstract now(): Promise<EventCursor>;
  /** Whether an event behind this cursor is no longer kept. */
  abstract isExpired(accountId: string, cursor: EventCursor): Promise<boolean>;
}
