import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SqlClient } from '../../../platform/database/sql-client.js';

/** What an event of the transaction under way is numbered with. */
export const CURRENT_XID = `(pg_current_xact_id()::text::bigint + (select ahead from event_order))::text::xid8`;

/** Every transaction below it has ended: what it wrote is there, and nothing can come before it. */
export const HORIZON = `
  (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select ahead from event_order))::text::xid8`;

/** No event that can be seen was written by a transaction that is yet to come, unless in another cluster. */
const CATCH_UP = {
  name: 'event_order_catch_up',
  text: `
    with last as (
      (select xid from events order by xid desc limit 1)
      union all (select xid from event_horizons order by xid desc limit 1)),
    next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid),
    ahead as (select max(last.xid::text::bigint) + 1 - next.xid as needed from last, next group by next.xid)
    update event_order set ahead = needed from ahead where needed > event_order.ahead`,
};

/**
 * Events are ordered by the numbers of their transactions, and a database that was restored from a dump counts those
 * anew: what was told before would lie in the future, hidden for years, and what is told now would come before it. So
 * the numbers go on where the old ones ended, and the cursors that readers hold stay good.
 */
@Injectable()
export class EventOrder implements OnModuleInit {
  constructor(private readonly statements: SqlClient) {}

  /** Before this process tells anything. */
  async onModuleInit(): Promise<void> {
    await this.statements.run(CATCH_UP);
  }
}
