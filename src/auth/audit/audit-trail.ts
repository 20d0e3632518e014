import { Injectable } from '@nestjs/common';
import { AuditConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { currentRequest } from '../../platform/concurrency/request-context.js';
import { getClientRequestId, toShownHeader } from '../../platform/http/request.js';
import type { Caller, Holder, SessionHolder } from '../caller/caller.js';
import type {
  ActorType,
  AuditActor,
  AuditEntry,
  AuditFilter,
  AuditOrigin,
  AuditRecord,
} from '../domain/audit-record.js';
import { AuditRecordRepository } from './audit-records.repository.js';

interface AuditPage {
  readonly items: readonly AuditRecord[];
  /** The position after all records that were read, including those that the filter left out. */
  readonly next: TransactionCursor;
  readonly hasMore: boolean;
}

/** Records of refused credentials are kept for a shorter time, since anyone can cause them. */
const REFUSED_RETENTION_DAYS = 30;
const BATCH_SIZE = 500;
const MAX_USER_AGENT_LENGTH = 200;

const NO_REQUEST = { address: null, requestId: null, clientRequestId: null, userAgent: null };

/** Records who did what, lists the records, and deletes them after the retention time. */
@Injectable()
export class AuditTrail {
  private runner: AuditActor = { type: 'service', id: null, name: null };

  constructor(
    private readonly records: AuditRecordRepository,
    private readonly clock: Clock,
    private readonly config: AuditConfig,
    private readonly units: TimeUnits,
  ) {}

  /** Sets the actor of work outside of requests. The default is the service itself. */
  runAs(actor: AuditActor): void {
    this.runner = actor;
  }

  /** Writes a record. Inside a unit of work, the record is committed together with the change that it records. */
  async record(entry: AuditEntry, origin: AuditOrigin = this.origin()): Promise<void> {
    await this.records.insert(this.toRecord(entry, origin));
  }

  /** Writes no record if an equal record was written within `withinMs`. Must be called inside a unit of work. */
  async recordOnce(entry: AuditEntry, withinMs: number): Promise<void> {
    const record = this.toRecord(entry, this.origin());
    const since = new Date(record.occurredAt.getTime() - withinMs);
    if (!(await this.records.lockAndFindEqual(record, since))) await this.records.insert(record);
  }

  /** Returns the current actor and address. Work that outlives its request must call this before the request ends. */
  origin(): AuditOrigin {
    return currentOrigin(this.runner);
  }

  originOf(type: ActorType): AuditOrigin {
    return { ...this.origin(), actor: { type, id: null, name: null } };
  }

  /** Lists records of one account, oldest first. A caller that continues at `next` gets every record exactly once. */
  async page(
    accountId: string,
    after: TransactionCursor | null,
    limit: number,
    filter: AuditFilter,
  ): Promise<AuditPage> {
    const from = after ?? TransactionCursor.START;
    const end = await this.records.end(accountId); // read first, so that records added meanwhile come after `end`
    const found = await this.records.pageAfter(accountId, from, limit + 1, filter);
    const [items, hasMore] = [found.slice(0, limit), found.length > limit];
    const last = items.at(-1);
    const position = last ? TransactionCursor.at(last.xid, last.seq) : from;
    return { items, next: hasMore ? position : TransactionCursor.later(position, end), hasMore };
  }

  /** Lists the newest records first. @param accountId null for all accounts and the operator's own records */
  latest(accountId: string | null, limit: number, filter: AuditFilter): Promise<AuditRecord[]> {
    return this.records.latest(accountId, limit, filter);
  }

  /** Several processes may run this purge at once. */
  async purge(signal?: AbortSignal): Promise<void> {
    const days = this.config.auditRetentionDays;
    const before = this.daysAgo(days);
    const refusedBefore = this.daysAgo(Math.min(days, REFUSED_RETENTION_DAYS));
    while (!signal?.aborted && (await this.records.purge(before, refusedBefore, BATCH_SIZE)) >= BATCH_SIZE);
  }

  private daysAgo(days: number): Date {
    return after(this.clock.now(), -days * this.units.day);
  }

  private toRecord({ before, after: stateAfter, ...entry }: AuditEntry, origin: AuditOrigin): AuditRecord {
    const identity = { id: newId('aud'), occurredAt: this.clock.now() };
    return { ...identity, ...entry, ...origin, before: before ?? null, after: stateAfter ?? null };
  }
}

/** Names the caller of the current request (or `unknown`) as the actor. Outside of requests, the actor is `runner`. */
function currentOrigin(runner: AuditActor): AuditOrigin {
  const request = currentRequest();
  if (!request) return { actor: runner, ...NO_REQUEST };
  const { caller, holder } = request as { readonly caller?: Caller | null; readonly holder?: SessionHolder | null };
  const by = caller?.by ?? holder?.by;
  return {
    actor: by ? toActor(by) : { type: 'unknown', id: null, name: null },
    address: request.ip,
    requestId: String(request.id),
    clientRequestId: getClientRequestId(request.headers),
    userAgent: toShownHeader(request.headers['user-agent'], MAX_USER_AGENT_LENGTH),
  };
}

function toActor(by: Holder): AuditActor {
  if (by.kind === 'key') return { type: 'key', id: by.id, name: null }; // the insert statement adds the name
  if (by.kind === 'person') return { type: 'person', id: by.id, name: by.name ?? by.email };
  const { subject, name, authenticator } = by;
  return { type: 'identity', id: subject, name: name === null ? authenticator : `${name} (${authenticator})` };
}
