import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock } from '../../../kernel/clock.js';
import { NotificationEvents } from '../../domain/events/notification-event.js';

/** So many in one transaction, so that nobody waits long for one of them. */
const BATCH = 1_000;

/** Forgets events that are older than the operator keeps them. */
@Injectable()
export class ForgetEvents {
  private readonly retention: number;

  constructor(
    private readonly events: NotificationEvents,
    private readonly clock: Clock,
    { eventRetention, timeScale }: Config,
  ) {
    this.retention = eventRetention / timeScale;
  }

  /** Any number of processes may do this at once. */
  async run(): Promise<void> {
    const before = after(this.clock.now(), -this.retention);
    while ((await this.events.forget(before, BATCH)) === BATCH);
  }
}
