import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { CURRENT_XID } from '../../platform/database/transaction-order.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  type ActorType,
  type AuditAttributes,
  type AuditFilter,
  type AuditRecord,
  AuditRecordRepository,
  type ListedAuditRecord,
} from '../domain/audit-record.js';
import {
  AUDIT_END,
  AUDIT_PAGE,
  DELETE_AUDIT_OF_ACCOUNT,
  LATEST_OF_ACCOUNT,
  LATEST_OF_ALL,
  PURGE_AUDIT,
} from './audit-records.sql.js';

type Row = Omit<AuditRecord, 'actor' | 'before' | 'after'> & {
  readonly actorType: ActorType;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly xid: string;
  readonly seq: string;
  readonly before: string | null;
  readonly after: string | null;
};

@Injectable()
export class PostgresAuditRecordRepository extends AuditRecordRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly sqlClient: SqlClient,
  ) {
    super();
  }

  async insert(record: AuditRecord): Promise<void> {
    const { id, occurredAt, accountId, action, actor, targetId } = record;
    const { address, requestId, clientRequestId, userAgent } = record;
    await sql`
      insert into audit_records (id, xid, occurred_at, account_id, action, actor_type, actor_id, actor_name, target_id,
        address, request_id, client_request_id, user_agent, state_before, state_after)
      values (${id}, ${sql.raw(CURRENT_XID)}, ${occurredAt.toISOString()}::timestamptz, ${accountId}, ${action},
        ${actor.type}, ${actor.id},
        coalesce(${actor.name}::text, (select name from api_keys where id = ${actor.type === 'key' ? actor.id : null})),
        ${targetId}, ${address}, ${requestId}, ${clientRequestId}, ${userAgent},
        ${toText(record.before)}, ${toText(record.after)})
      `.execute(this.entities.getKysely());
  }

  async pageAfter(
    accountId: string,
    { xid, seq }: TransactionCursor,
    limit: number,
    filter: AuditFilter,
  ): Promise<ListedAuditRecord[]> {
    const rows = await this.sqlClient.run<Row>(AUDIT_PAGE, [...toParameters(filter), accountId, xid, seq, limit]);
    return rows.map((row) => ({ ...toRecord(row), cursor: TransactionCursor.at(row.xid, row.seq) }));
  }

  async end(accountId: string): Promise<TransactionCursor> {
    const [latest] = await this.sqlClient.run<{ xid: string; seq: string }>(AUDIT_END, [accountId]);
    return latest ? TransactionCursor.at(latest.xid, latest.seq) : TransactionCursor.START;
  }

  async latest(accountId: string | null, limit: number, filter: AuditFilter): Promise<AuditRecord[]> {
    const parameters = toParameters(filter);
    const rows =
      accountId === null
        ? await this.sqlClient.run<Row>(LATEST_OF_ALL, [...parameters, limit])
        : await this.sqlClient.run<Row>(LATEST_OF_ACCOUNT, [...parameters, accountId, limit]);
    return rows.map(toRecord);
  }

  async lockAndFindEqual({ action, before, after }: AuditRecord, since: Date): Promise<boolean> {
    const database = this.entities.getKysely();
    await sql`select pg_advisory_xact_lock(hashtextextended(${`audit of ${action}`}, 0))`.execute(database);
    const { rows } = await sql`
      select 1 from audit_records where occurred_at >= ${since.toISOString()}::timestamptz and action = ${action}
        and state_before is not distinct from ${toText(before)} and state_after is not distinct from ${toText(after)}
      limit 1`.execute(database);
    return rows.length > 0;
  }

  async purge(before: Date, refusedBefore: Date, limit: number): Promise<number> {
    const [row] = await this.sqlClient.run<{ deleted: number }>(PURGE_AUDIT, [before, refusedBefore, limit]);
    return row?.deleted ?? 0;
  }

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

function toRecord({ actorType, actorId, actorName, before, after, ...row }: Row): AuditRecord {
  const { id, occurredAt, accountId, action, targetId, address, requestId, clientRequestId, userAgent } = row;
  return {
    ...{ id, occurredAt, accountId, action, targetId, address, requestId, clientRequestId, userAgent },
    actor: { type: actorType, id: actorId, name: actorName },
    before: parseAttributes(before),
    after: parseAttributes(after),
  };
}

function parseAttributes(text: string | null): AuditAttributes | null {
  return text === null ? null : (JSON.parse(text) as AuditAttributes);
}
