import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import {
  type ActorType,
  type AuditEntry,
  type AuditOrigin,
  type AuditRecord,
  AuditRecordRepository,
} from '../domain/audit-record.js';
import { AuditOrigins } from './audit-origins.js';

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
