import { Injectable } from '@nestjs/common';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { HORIZON, NEXT_XID } from '../../platform/database/transaction-order.js';
import { CursorExpired } from '../domain/notifications.errors.js';

/** An event and the cursor after it. */
export interface FeedItem {
  readonly cursor: TransactionCursor;
  readonly type: string;
  /** The JSON of the event, with the same bytes as in a webhook. */
  readonly body: string;
}

export interface FeedFilter {
  readonly type?: string | undefined;
  readonly entryId?: string | undefined;
}

interface FeedRequest extends FeedFilter {
  readonly accountId: string;
  readonly after: TransactionCursor;
  readonly limit: number;
}

interface EventsPage {
  readonly items: readonly FeedItem[];
  /** The cursor after all events that were read, including those that the filter left out. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

/** Orders by `e.xid`: a bare `xid` would mean the selected text, where 1000 comes before 999. */
const AFTER = {
  name: 'events_after',
  text: `
    select e.xid::text, e.seq::text, e.type, e.body from events e
    where e.account_id = $1 and (e.xid, e.seq) > ($2::xid8, $3::bigint)
      and e.xid < ${HORIZON}
      and ($4::text is null or e.type = $4) and ($5::text is null or e.entry_id = $5)
    order by e.xid, e.seq limit $6`,
};
/** Reads the cursor just before the account's oldest stored event. */
const START = {
  name: 'events_start',
  text: `select xid::text, seq::text from event_feed_starts where account_id = $1`,
};
const END = {
  name: 'events_end',
  text: `
    select latest.xid::text, latest.seq::text from (
      (select e.xid, e.seq from events e where e.account_id = $1 and e.xid < ${HORIZON} order by e.xid desc, e.seq desc limit 1)
      union all (select h.xid, h.seq from event_feed_starts h where h.account_id = $1)) latest
    order by latest.xid desc, latest.seq desc limit 1`,
};
/**
 * Returns a row if reading cannot continue from a cursor. Either events after the cursor were purged, or its
 * transaction lies in the future: a failover lost that transaction. Its number is given again, so a reader who
 * continued from there would miss the events of earlier transactions.
 */
const EXPIRED = {
  name: 'events_expired',
  text: `
    select 1 from event_feed_starts where account_id = $1 and (xid, seq) > ($2::xid8, $3::bigint)
    union all select 1 where $2::xid8 >= ${NEXT_XID}`,
};

interface Position {
  readonly xid: string;
  readonly seq: string;
}

/** Reads events in a stable order: an event is visible once no running transaction can insert one before it. */
@Injectable()
export class EventFeed {
  constructor(private readonly statements: SqlClient) {}

  /** Reads a page, by default from the oldest stored event. @throws CursorExpired */
  async page(request: Omit<FeedRequest, 'after'> & { readonly after: TransactionCursor | null }): Promise<EventsPage> {
    const { accountId, after } = request;
    const page = await this.read({ ...request, after: after ?? (await this.findCursor(START, accountId)) });
    // after reading: events purged during the read would be an unnoticed gap
    if (after) await this.rejectExpired(accountId, after);
    return page;
  }

  /**
   * Reads the next page for a reader that is up to date. A page that does not move the cursor needs no check. A
   * filtered page may be empty and yet move the cursor past purged events.
   * @throws CursorExpired
   */
  async streamPage(request: FeedRequest): Promise<EventsPage> {
    const page = await this.read(request);
    if (page.next !== request.after) await this.rejectExpired(request.accountId, request.after);
    return page;
  }

  /** Returns the cursor after the account's latest visible event, for readers who want new events only. */
  end(accountId: string): Promise<TransactionCursor> {
    return this.findCursor(END, accountId);
  }

  async after({ accountId, after, limit, type, entryId }: FeedRequest): Promise<FeedItem[]> {
    const values = [accountId, after.xid, after.seq, type ?? null, entryId ?? null, limit];
    const rows = await this.statements.run<Position & Omit<FeedItem, 'cursor'>>(AFTER, values);
    return rows.map(({ xid, seq, ...item }) => ({ ...item, cursor: TransactionCursor.at(xid, seq) }));
  }

  private async read(request: FeedRequest): Promise<EventsPage> {
    const { accountId, after, limit, type, entryId } = request;
    const isFiltered = type !== undefined || entryId !== undefined; // without a filter, the last item is the end of what was read
    // before reading: events that arrive during the read come after this end
    const end = isFiltered ? await this.end(accountId) : after;
    const found = await this.after({ ...request, limit: limit + 1 });
    const [items, hasMore] = [found.slice(0, limit), found.length > limit];
    const last = items.at(-1)?.cursor ?? after;
    return { items, next: hasMore ? last : TransactionCursor.later(last, end), hasMore };
  }

  private async findCursor(statement: typeof START, accountId: string): Promise<TransactionCursor> {
    const [position] = await this.statements.run<Position>(statement, [accountId]);
    return position ? TransactionCursor.at(position.xid, position.seq) : TransactionCursor.START;
  }

  /** @throws CursorExpired when events after it were purged, or a failover lost it */
  private async rejectExpired(accountId: string, { xid, seq }: TransactionCursor): Promise<void> {
    if ((await this.statements.run(EXPIRED, [accountId, xid, seq])).length > 0) throw new CursorExpired();
  }
}
