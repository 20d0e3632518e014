import { Injectable } from '@nestjs/common';
import { CursorExpired, EventCursor } from '../../domain/events/event-cursor.js';
import { EventFeed, type FeedFilter, type FeedItem } from '../ports/event-feed.js';

export interface EventsPage {
  readonly items: readonly FeedItem[];
  /** Where to go on: behind all that was looked at, whether or not it was asked for. */
  readonly next: EventCursor;
  readonly hasMore: boolean;
}

/** Reads an account's events in their order. */
@Injectable()
export class ReadEvents {
  constructor(private readonly feed: EventFeed) {}

  /** From the oldest that is kept, without a cursor. @throws CursorExpired */
  async page(accountId: string, after: EventCursor | null, limit: number, filter: FeedFilter): Promise<EventsPage> {
    const page = await this.read(accountId, after ?? (await this.feed.oldest(accountId)), limit, filter);
    // Asked last: what was purged while we read would be a gap that nobody notices.
    if (after) await this.rejectExpired(accountId, after);
    return page;
  }

  /** For who read up to `after` a moment ago: where nothing came, nothing is missing. @throws CursorExpired */
  async streamPage(accountId: string, after: EventCursor, limit: number, filter: FeedFilter): Promise<EventsPage> {
    const page = await this.read(accountId, after, limit, filter);
    if (page.items.length > 0) await this.rejectExpired(accountId, after);
    return page;
  }

  /** Where a reader begins who wants only what happens from now on. */
  now(): Promise<EventCursor> {
    return this.feed.now();
  }

  private async read(accountId: string, from: EventCursor, limit: number, filter: FeedFilter): Promise<EventsPage> {
    // Taken first: what comes while we read is behind it.
    const end = isFiltered(filter) ? await this.feed.now() : from;
    const found = await this.feed.after({ ...filter, accountId, after: from, limit: limit + 1 });
    const [items, hasMore] = [found.slice(0, limit), found.length > limit];
    const last = items.at(-1)?.cursor ?? from;
    return { items, next: hasMore ? last : EventCursor.later(last, end), hasMore };
  }

  private async rejectExpired(accountId: string, cursor: EventCursor): Promise<void> {
    if (await this.feed.isExpired(accountId, cursor)) throw new CursorExpired();
  }
}

/** Without a filter a reader has seen all there is, and stands at the end. */
function isFiltered({ type, entryId }: FeedFilter): boolean {
  return type !== undefined || entryId !== undefined;
}
