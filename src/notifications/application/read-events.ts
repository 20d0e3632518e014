import { Injectable } from '@nestjs/common';
import { CursorExpired, EventCursor } from '../domain/event-cursor.js';
import { EventFeed, type FeedFilter, type FeedItem } from '../domain/event-feed.js';

export interface EventsPage {
  readonly items: readonly FeedItem[];
  /** Where to go on; the cursor given when there was nothing. */
  readonly next: EventCursor;
  readonly hasMore: boolean;
}

/** Reads an account's events in their order. */
@Injectable()
export class ReadEvents {
  constructor(private readonly feed: EventFeed) {}

  /** From the oldest that is kept, without a cursor. @throws CursorExpired */
  async page(accountId: string, after: EventCursor | null, limit: number, filter: FeedFilter): Promise<EventsPage> {
    const from = after ?? (await this.feed.oldest(accountId));
    const found = await this.feed.after({ ...filter, accountId, after: from, limit: limit + 1 });
    // Asked last: what was purged while we read would be a gap that nobody notices.
    if (after && (await this.feed.isExpired(accountId, after))) throw new CursorExpired();
    const items = found.slice(0, limit);
    return { items, next: items.at(-1)?.cursor ?? from, hasMore: found.length > limit };
  }

  /** Where a reader begins who wants only what happens from now on. */
  now(): Promise<EventCursor> {
    return this.feed.now();
  }
}
