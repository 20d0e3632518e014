import { Injectable } from '@nestjs/common';
import { Clock, after } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import type {
  ActorType,
  AuditEntry,
  AuditOrigin,
  AuditRecord,
  AuditFilter,
  ListedAuditRecord,
} from '../domain/audit-record.js';
import { AuditRecordRepository } from './audit-records.repository.js';
import { AuditOrigins } from './audit-origins.js';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { AuditConfig } from '../../config/sections.js';
import { TimeUnits } from '../../kernel/time-units.js';

/** Records who did what. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly records: AuditRecordRepository,
    private readonly origins: AuditOrigins,
    private readonly clock: Clock,
  ) {}

  /** Inside the unit of work of the change: the record is committed with it or not at all, and it fails with the record. */
  async record(entry: AuditEntry, origin: AuditOrigin = this.origins.current()): Promise<void> {
    await this.records.insert(this.toRecord(entry, origin));
  }

  /**
   * The same for what several processes notice, each for itself: once within so many milliseconds. Inside a unit of
   * work.
   */
  async recordOnce(entry: AuditEntry, withinMs: number): Promise<void> {
    const record = this.toRecord(entry, this.origins.current());
    const since = new Date(record.occurredAt.getTime() - withinMs);
    if (!(await this.records.lockAndFindEqual(record, since))) await this.records.insert(record);
  }

  /** For work that goes on after its request is no longer known. */
  origin(): AuditOrigin {
    return this.origins.current();
  }

  /** The current request, by an actor without an id. */
  originOf(type: ActorType): AuditOrigin {
    return { ...this.origins.current(), actor: { type, id: null, name: null } };
  }

  private toRecord({ before, after, ...entry }: AuditEntry, origin: AuditOrigin): AuditRecord {
    const identity = { id: newId('aud'), occurredAt: this.clock.now() };
    return { ...identity, ...entry, ...origin, before: before ?? null, after: after ?? null };
  }
}

interface AuditPage {
  readonly items: readonly ListedAuditRecord[];
  /** After all records read, those filtered out included. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

@Injectable()
export class ReadAuditTrail {
  constructor(private readonly records: AuditRecordRepository) {}

  /** Lists records of one account, oldest first. Reading on from `next` misses none and repeats none. */
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

/** Strangers cause these records, so that they are kept for a shorter time. */
const REFUSED_RETENTION_DAYS = 30;
const BATCH_SIZE = 500;

/** Deletes records that are older than the retention setting. */
@Injectable()
export class PurgeAuditTrail {
  constructor(
    private readonly records: AuditRecordRepository,
    private readonly clock: Clock,
    private readonly config: AuditConfig,
    private readonly units: TimeUnits,
  ) {}

  /** Safe to run in several processes at once. */
  async run(signal?: AbortSignal): Promise<void> {
    const days = this.config.auditRetentionDays;
    const [before, refusedBefore] = [days, Math.min(days, REFUSED_RETENTION_DAYS)].map((kept) =>
      after(this.clock.now(), -kept * this.units.day),
    ) as [Date, Date];
    while (!signal?.aborted && (await this.records.purge(before, refusedBefore, BATCH_SIZE)) >= BATCH_SIZE);
  }
}
