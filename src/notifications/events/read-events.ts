import { Injectable } from '@nestjs/common';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { CursorExpired } from '../domain/notifications.errors.js';
import { type FeedFilter, type FeedItem, EventFeed } from './event-feed.repository.js';
import { RetentionConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { NotificationEventRepository } from './notification-events.repository.js';

interface EventsPage {
  readonly items: readonly FeedItem[];
  /** After all events read, those filtered out included. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

@Injectable()
export class ReadEvents {
  constructor(private readonly feed: EventFeed) {}

  /** Without a cursor, from the oldest stored event. @throws CursorExpired */
  async page(
    accountId: string,
    after: TransactionCursor | null,
    limit: number,
    filter: FeedFilter,
  ): Promise<EventsPage> {
    const page = await this.read(accountId, after ?? (await this.feed.start(accountId)), limit, filter);
    // last: events purged during the read would be an unnoticed gap
    if (after) await this.rejectExpired(accountId, after);
    return page;
  }

  /** For a reader that is up to date: an empty page needs no check of the cursor. @throws CursorExpired */
  async streamPage(
    accountId: string,
    after: TransactionCursor,
    limit: number,
    filter: FeedFilter,
  ): Promise<EventsPage> {
    const page = await this.read(accountId, after, limit, filter);
    if (page.items.length > 0) await this.rejectExpired(accountId, after);
    return page;
  }

  /** Where a reader begins who wants new events only. */
  end(accountId: string): Promise<TransactionCursor> {
    return this.feed.end(accountId);
  }

  private async read(
    accountId: string,
    from: TransactionCursor,
    limit: number,
    filter: FeedFilter,
  ): Promise<EventsPage> {
    // first: events that arrive during the read come after it
    const end = isFiltered(filter) ? await this.feed.end(accountId) : from;
    const found = await this.feed.after({ ...filter, accountId, after: from, limit: limit + 1 });
    const [items, hasMore] = [found.slice(0, limit), found.length > limit];
    const last = items.at(-1)?.cursor ?? from;
    return { items, next: hasMore ? last : TransactionCursor.later(last, end), hasMore };
  }

  private async rejectExpired(accountId: string, cursor: TransactionCursor): Promise<void> {
    if (await this.feed.isExpired(accountId, cursor)) throw new CursorExpired();
  }
}

/** Without a filter, the last item is the end of what was read. */
function isFiltered({ type, entryId }: FeedFilter): boolean {
  return type !== undefined || entryId !== undefined;
}

/** Small enough that no transaction holds its locks for long. */
const BATCH_SIZE = 500;

/** Deletes events that are older than the retention setting. */
@Injectable()
export class PurgeEvents {
  private readonly retentionMs: number;

  constructor(
    private readonly events: NotificationEventRepository,
    private readonly clock: Clock,
    { eventRetentionDays }: RetentionConfig,
    { day }: TimeUnits,
  ) {
    this.retentionMs = eventRetentionDays * day;
  }

  /** Safe to run in several processes at once. */
  async run(signal?: AbortSignal): Promise<void> {
    const before = after(this.clock.now(), -this.retentionMs);
    while (!signal?.aborted && (await this.events.purge(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
