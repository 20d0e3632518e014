import { Injectable } from '@nestjs/common';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { HORIZON, NEXT_XID } from '../../platform/database/transaction-order.js';
import { CursorExpired } from '../domain/notifications.errors.js';

/** An event, with the cursor for reading on after the event. */
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
  /** The cursor after all events that were read, also after events that the filter left out. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

/** Sorts by transaction number (`e.xid`). A bare `xid` would mean the selected text, which sorts 1000 before 999. */
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
 * A cursor ($2, $3) expires if events after it were purged. It also expires if a failover lost its transaction, because
 * another transaction gets the same number.
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

/** Reads events in a stable order. Hides an event while a running transaction could still insert an earlier event. */
@Injectable()
export class EventFeed {
  constructor(private readonly statements: SqlClient) {}

  /**
   * Reads a page, by default from the oldest stored event.
   * @throws CursorExpired for the reasons that `EXPIRED` names
   */
  async page(request: Omit<FeedRequest, 'after'> & { readonly after: TransactionCursor | null }): Promise<EventsPage> {
    const { accountId, after } = request;
    const page = await this.read({ ...request, after: after ?? (await this.findCursor(START, accountId)) });
    // checks after reading, to notice events that were purged during the read
    if (after) await this.rejectExpired(accountId, after);
    return page;
  }

  /**
   * Checks for an expired cursor only if there are new events, which saves a query while nothing happens.
   * @throws CursorExpired for the reasons that `EXPIRED` names
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
    const isFiltered = type !== undefined || entryId !== undefined;
    // Reads `end` before the items, so that the next cursor does not skip an event that arrives meanwhile.
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

  /** @throws CursorExpired if later events were purged, or if a failover lost the transaction of the cursor */
  private async rejectExpired(accountId: string, { xid, seq }: TransactionCursor): Promise<void> {
    if ((await this.statements.run(EXPIRED, [accountId, xid, seq])).length > 0) throw new CursorExpired();
  }
}
