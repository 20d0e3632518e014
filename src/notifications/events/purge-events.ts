import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { NotificationEventRepository } from './notification-events.repository.js';

/** The most events that one transaction deletes. The transactions are short, so that locks are held only briefly. */
const BATCH_SIZE = 500;

@Injectable()
export class PurgeEvents {
  constructor(
    private readonly events: NotificationEventRepository,
    private readonly clock: Clock,
    private readonly config: RetentionConfig,
    private readonly units: TimeUnits,
  ) {}

  /** Deletes old events. Several processes may run this at once. */
  async run(signal?: AbortSignal): Promise<void> {
    const before = after(this.clock.now(), -this.config.eventRetentionDays * this.units.day);
    while (!signal?.aborted && (await this.events.purge(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
