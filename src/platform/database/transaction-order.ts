import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SqlClient } from './sql-client.js';

/**
 * The number of the current transaction. `transactions_ahead` is 0, or an offset after a restore (see
 * TransactionOrder).
 */
export const CURRENT_XID = `(pg_current_xact_id()::text::bigint + (select transactions_ahead from database_state))::text::xid8`;

/** All transactions with a lower number have ended, so no new row can get a lower number. */
export const HORIZON = `
  (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select transactions_ahead from database_state))::text::xid8`;

/** The number that follows the last completed transaction. Includes the offset `transactions_ahead` (see below). */
export const NEXT_XID = `
  (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + (select transactions_ahead from database_state))::text::xid8`;

/**
 * A database restored from a dump numbers its transactions from the start. The offset `transactions_ahead` raises new
 * numbers above the stored numbers.
 */
const CATCH_UP = {
  name: 'transaction_offset_catch_up',
  text: `
    with last as (
      (select xid from events order by xid desc limit 1)
      union all (select xid from event_feed_starts order by xid desc limit 1)
      union all (select xid from audit_records order by xid desc limit 1)),
    next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid),
    ahead as (select max(last.xid::text::bigint) + 1 - next.xid as needed from last, next group by next.xid)
    update database_state set transactions_ahead = needed from ahead where needed > transactions_ahead`,
};

/**
 * A restored database skips this many transaction numbers, because the original database may have used more after the
 * backup.
 */
const SKIPPED = 1_000_000_000_000;

/**
 * Clients continue with cursors from the original database, and would miss new events with lower numbers. $1: NEXT_XID
 * of the backup.
 */
export const CONTINUE_AFTER = {
  name: 'transaction_offset_continue',
  text: `
    update database_state
       set transactions_ahead = greatest(transactions_ahead, $1::bigint + ${SKIPPED} - pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`,
};

/**
 * Keeps transaction numbers rising after a restore from a dump, so that cursors for events and audit records stay
 * valid.
 */
@Injectable()
export class TransactionOrder implements OnModuleInit {
  constructor(private readonly statements: SqlClient) {}

  async onModuleInit(): Promise<void> {
    await this.statements.run(CATCH_UP);
  }
}
