import { Injectable } from '@nestjs/common';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { HORIZON } from '../../platform/database/transaction-order.js';

/** An event and the cursor after it. */
export interface FeedItem {
  readonly cursor: TransactionCursor;
  readonly type: string;
  /** The same bytes as in a webhook. */
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

/** `e.xid`, since a bare `xid` would order by the selected text, where 1000 comes before 999. */
const AFTER = {
  name: 'events_after',
  text: `
    select e.xid::text, e.seq::text, e.type, e.body from events e
    where e.account_id = $1 and (e.xid, e.seq) > ($2::xid8, $3::bigint)
      and e.xid < ${HORIZON}
      and ($4::text is null or e.type = $4) and ($5::text is null or e.entry_id = $5)
    order by e.xid, e.seq limit $6`,
};
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
const EXPIRED = {
  name: 'events_expired',
  text: `select 1 from event_feed_starts where account_id = $1 and (xid, seq) > ($2::xid8, $3::bigint)`,
};

interface Position {
  readonly xid: string;
  readonly seq: string;
}

/**
 * The events of an account in a stable order: an event is visible once no running transaction can insert one before it.
 */
@Injectable()
export class EventFeed {
  constructor(private readonly statements: SqlClient) {}

  async after({ accountId, after, limit, type, entryId }: FeedRequest): Promise<FeedItem[]> {
    const values = [accountId, after.xid, after.seq, type ?? null, entryId ?? null, limit];
    const rows = await this.statements.run<Position & Omit<FeedItem, 'cursor'>>(AFTER, values);
    return rows.map(({ xid, seq, ...item }) => ({ ...item, cursor: TransactionCursor.at(xid, seq) }));
  }

  /** Before the account's oldest stored event. */
  async start(accountId: string): Promise<TransactionCursor> {
    const [position] = await this.statements.run<Position>(START, [accountId]);
    return position ? TransactionCursor.at(position.xid, position.seq) : TransactionCursor.START;
  }

  /** After the account's latest visible event: it does not move when others write. */
  async end(accountId: string): Promise<TransactionCursor> {
    const [position] = await this.statements.run<Position>(END, [accountId]);
    return position ? TransactionCursor.at(position.xid, position.seq) : TransactionCursor.START;
  }

  /** Whether events after this cursor were purged. */
  async isExpired(accountId: string, { xid, seq }: TransactionCursor): Promise<boolean> {
    return (await this.statements.run(EXPIRED, [accountId, xid, seq])).length > 0;
  }
}
