import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock } from '../../../kernel/clock.js';
import { NotificationEventRepository } from '../../domain/events/notification-event.js';

/** So many in one transaction, so that nobody waits long for one of them. */
const BATCH_SIZE = 1_000;

/** Forgets events that are older than the operator keeps them. */
@Injectable()
export class PurgeEvents {
  private readonly retentionMs: number;

  constructor(
    private readonly events: NotificationEventRepository,
    private readonly clock: Clock,
    { eventRetention, timeScale }: Config,
  ) {
    this.retentionMs = eventRetention / timeScale;
  }

  /** Any number of processes may do this at once. */
  async run(): Promise<void> {
    const before = after(this.clock.now(), -this.retentionMs);
    while ((await this.events.purge(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
