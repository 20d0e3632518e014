import { Injectable } from '@nestjs/common';
import { RetentionConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { NotificationEventRepository } from './notification-events.repository.js';

/** Keeps transactions short, so that locks are held only briefly. */
const BATCH_SIZE = 500;

@Injectable()
export class PurgeEvents {
  constructor(
    private readonly events: NotificationEventRepository,
    private readonly clock: Clock,
    private readonly config: RetentionConfig,
    private readonly units: TimeUnits,
  ) {}

  /** Safe to run in several processes at once. */
  async run(signal?: AbortSignal): Promise<void> {
    const before = after(this.clock.now(), -this.config.eventRetentionDays * this.units.day);
    while (!signal?.aborted && (await this.events.purge(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
