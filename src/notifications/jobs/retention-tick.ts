import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { PurgeEvents } from '../application/events/purge-events.js';

/** Keeps the events to their retention. */
@Injectable()
export class RetentionTick {
  private readonly log = new Logger(RetentionTick.name);
  private running = false;

  constructor(private readonly purge: PurgeEvents) {}

  @Interval(MINUTE)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      await this.purge.run();
    } catch (error) {
      this.log.warn(`old events stay until the next tick: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }
}
