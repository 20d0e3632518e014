import { Injectable } from '@nestjs/common';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import {
  type AuditFilter,
  type AuditRecord,
  AuditRecordRepository,
  type ListedAuditRecord,
} from '../domain/audit-record.js';

export interface AuditPage {
  readonly items: readonly ListedAuditRecord[];
  /** After all records read, those filtered out included. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

@Injectable()
export class ReadAuditTrail {
  constructor(private readonly records: AuditRecordRepository) {}

  /** Of one account, oldest first. Reading on from `next` misses none and repeats none. */
  async page(
    accountId: string,
    after: TransactionCursor | null,
    limit: number,
    filter: AuditFilter,
  ): Promise<AuditPage> {
    const from = after ?? TransactionCursor.START;
    const end = await this.records.end(accountId); // first: records that arrive during the read come after it
    const found = await this.records.pageAfter(accountId, from, limit + 1, filter);
    const [items, hasMore] = [found.slice(0, limit), found.length > limit];
    const last = items.at(-1)?.cursor ?? from;
    return { items, next: hasMore ? last : TransactionCursor.later(last, end), hasMore };
  }

  /** For the operator. @param accountId null: of all accounts, and the operator's own. @returns newest first */
  latest(accountId: string | null, limit: number, filter: AuditFilter): Promise<AuditRecord[]> {
    return this.records.latest(accountId, limit, filter);
  }
}
