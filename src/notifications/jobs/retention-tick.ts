import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../config.js';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { NotificationEvents } from '../domain/notification-event.js';

/** So many in one transaction, so that nobody waits long for one of them. */
const BATCH = 1_000;

/** Forgets events that are older than the operator keeps them. */
@Injectable()
export class RetentionTick {
  private readonly log = new Logger(RetentionTick.name);
  private readonly retention: number;
  private running = false;

  constructor(
    private readonly events: NotificationEvents,
    private readonly clock: Clock,
    { eventRetention, timeScale }: Config,
  ) {
    this.retention = eventRetention / timeScale;
  }

  /** Any number of processes may do this at once. */
  @Interval(MINUTE)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while ((await this.events.forget(after(this.clock.now(), -this.retention), BATCH)) === BATCH);
    } catch (error) {
      this.log.warn(`old events stay until the next tick: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }
}
