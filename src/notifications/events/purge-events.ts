import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { NotificationEventRepository } from './notification-events.repository.js';

/** Keeps transactions from holding their locks for long. */
const BATCH_SIZE = 500;

/** Deletes events that are older than the retention setting. */
@Injectable()
export class PurgeEvents {
  private readonly retentionMs: number;

  constructor(
    private readonly events: NotificationEventRepository,
    private readonly clock: Clock,
    { eventRetentionDays }: RetentionConfig,
    { day }: TimeUnits,
  ) {
    this.retentionMs = eventRetentionDays * day;
  }

  /** Safe to run in several processes at once. */
  async run(signal?: AbortSignal): Promise<void> {
    const before = after(this.clock.now(), -this.retentionMs);
    while (!signal?.aborted && (await this.events.purge(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
