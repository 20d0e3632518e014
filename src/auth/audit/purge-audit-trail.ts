import { Injectable } from '@nestjs/common';
import { AuditConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { AuditRecordRepository } from '../domain/audit-record.js';

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
