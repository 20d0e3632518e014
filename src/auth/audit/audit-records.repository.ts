import { Injectable } from '@nestjs/common';
import { HORIZON, CURRENT_XID } from '../../platform/database/transaction-order.js';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import type { AuditAttributes, AuditFilter, AuditRecord } from '../domain/audit-record.js';

const COLUMNS = `r.id, r.xid::text, r.seq::text, r.occurred_at as "occurredAt", r.account_id as "accountId", r.action,
  json_build_object('type', r.actor_type, 'id', r.actor_id, 'name', r.actor_name) as actor, r.target_id as "targetId",
  r.address, r.request_id as "requestId", r.client_request_id as "clientRequestId", r.user_agent as "userAgent",
  r.state_before::json as before, r.state_after::json as after`;

/** Parameters: `$1` action, `$2` prefix of actions, `$3` actor, `$4` since, `$5` until, `$6` target, `$7` request. */
const FILTER = `($1::text is null or r.action = $1) and ($2::text is null or starts_with(r.action, $2))
  and ($3::text is null or r.actor_id = $3 or r.actor_type = $3)
  and ($4::timestamptz is null or r.occurred_at >= $4) and ($5::timestamptz is null or r.occurred_at < $5)
  and ($6::text is null or r.target_id = $6) and ($7::text is null or r.request_id = $7)`;

/** Sorts by the number `r.xid`. The result's `xid` is text, and as text 1000 would come before 999. */
const AUDIT_PAGE = {
  name: 'audit_records_page',
  text: `select ${COLUMNS} from audit_records r
         where r.account_id = $8 and (r.xid, r.seq) > ($9::xid8, $10::bigint) and r.xid < ${HORIZON} and ${FILTER}
         order by r.xid, r.seq limit $11`,
};

const LATEST_OF_ACCOUNT = {
  name: 'audit_records_latest_of_account',
  text: `select ${COLUMNS} from audit_records r where r.account_id = $8 and ${FILTER}
         order by r.xid desc, r.seq desc limit $9`,
};
const LATEST_OF_ALL = {
  name: 'audit_records_latest',
  text: `select ${COLUMNS} from audit_records r where ${FILTER} order by r.xid desc, r.seq desc limit $8`,
};

const AUDIT_END = {
  name: 'audit_records_end',
  text: `select r.xid::text, r.seq::text from audit_records r where r.account_id = $1 and r.xid < ${HORIZON}
         order by r.xid desc, r.seq desc limit 1`,
};

const PURGE_AUDIT = { name: 'audit_records_purge', text: `select purge_audit_records($1, $2, $3) as deleted` };
const DELETE_AUDIT_OF_ACCOUNT = {
  name: 'account_remove_audit_records',
  text: `select delete_audit_records_of($1, $2) as deleted`,
};

/** A record with its position in the order of transactions. */
interface StoredAuditRecord extends AuditRecord {
  readonly xid: string;
  readonly seq: string;
}

@Injectable()
export class AuditRecordRepository {
  constructor(private readonly sqlClient: SqlClient) {}

  /** Inserts a record, in the transaction of the current unit of work if there is one. */
  async insert(record: AuditRecord): Promise<void> {
    const { id, occurredAt, accountId, action, actor, targetId } = record;
    const { address, requestId, clientRequestId, userAgent } = record;
    await this.sqlClient.run(sql`
      insert into audit_records (id, xid, occurred_at, account_id, action, actor_type, actor_id, actor_name, target_id,
        address, request_id, client_request_id, user_agent, state_before, state_after)
      values (${id}, ${sqlText(CURRENT_XID)}, ${occurredAt.toISOString()}::timestamptz, ${accountId}, ${action},
        ${actor.type}, ${actor.id},
        coalesce(${actor.name}::text, (select name from api_keys where id = ${actor.type === 'key' ? actor.id : null})),
        ${targetId}, ${address}, ${requestId}, ${clientRequestId}, ${userAgent},
        ${toText(record.before)}, ${toText(record.after)})
      `);
  }

  /**
   * Leaves out records newer than the oldest open transaction, because this transaction may still add records before
   * them.
   */
  pageAfter(
    accountId: string,
    { xid, seq }: TransactionCursor,
    limit: number,
    filter: AuditFilter,
  ): Promise<StoredAuditRecord[]> {
    return this.sqlClient.run(AUDIT_PAGE, [...toParameters(filter), accountId, xid, seq, limit]);
  }

  /** Returns the position after the latest record that {@link pageAfter} may list now. */
  async end(accountId: string): Promise<TransactionCursor> {
    const [latest] = await this.sqlClient.run<{ xid: string; seq: string }>(AUDIT_END, [accountId]);
    return latest ? TransactionCursor.at(latest.xid, latest.seq) : TransactionCursor.START;
  }

  latest(accountId: string | null, limit: number, filter: AuditFilter): Promise<AuditRecord[]> {
    const parameters = toParameters(filter);
    return accountId === null
      ? this.sqlClient.run(LATEST_OF_ALL, [...parameters, limit])
      : this.sqlClient.run(LATEST_OF_ACCOUNT, [...parameters, accountId, limit]);
  }

  /** Whether an equal record was written since `since`. The lock keeps two processes from writing equal records. */
  async lockAndFindEqual({ action, before, after }: AuditRecord, since: Date): Promise<boolean> {
    await this.sqlClient.run(sql`select pg_advisory_xact_lock(hashtextextended(${`audit of ${action}`}, 0))`);
    const rows = await this.sqlClient.run(sql`
      select 1 from audit_records where occurred_at >= ${since.toISOString()}::timestamptz and action = ${action}
        and state_before is not distinct from ${toText(before)} and state_after is not distinct from ${toText(after)}
      limit 1`);
    return rows.length > 0;
  }

  /** Deletes some old records. @returns how many. Fewer than `limit` means that none is left. */
  async purge(before: Date, refusedBefore: Date, limit: number): Promise<number> {
    const [row] = await this.sqlClient.run<{ deleted: number }>(PURGE_AUDIT, [before, refusedBefore, limit]);
    return row?.deleted ?? 0;
  }

  /** Deletes records of an account whose deletion has begun. @returns how many */
  async deleteBatch(accountId: string, limit: number): Promise<number> {
    const [row] = await this.sqlClient.run<{ deleted: number }>(DELETE_AUDIT_OF_ACCOUNT, [accountId, limit]);
    return row?.deleted ?? 0;
  }
}

function toParameters({ action, actor, since, until, target, request }: AuditFilter): readonly unknown[] {
  const isPrefix = action?.endsWith('.*') === true;
  return [
    isPrefix ? null : (action ?? null),
    isPrefix ? action.slice(0, -1) : null,
    actor ?? null,
    since ?? null,
    until ?? null,
    target ?? null,
    request ?? null,
  ];
}

function toText(attributes: AuditAttributes | null): string | null {
  return attributes === null ? null : JSON.stringify(attributes);
}
