import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { HOUR } from '../../kernel/clock.js';
import { PurgeHistory } from '../application/maintenance/purge-history.js';

/** Keeps history to what plans allow; more than one process may do so at a time. */
@Injectable()
export class HistoryTick {
  private readonly log = new Logger(HistoryTick.name);

  constructor(private readonly forget: PurgeHistory) {}

  @Interval(HOUR)
  async tick(): Promise<void> {
    try {
      const forgotten = await this.forget.run();
      if (forgotten.intervals + forgotten.names > 0) this.log.log(forgotten, 'forgot what is no longer kept');
    } catch (error) {
      this.log.warn(`old history stays until the next tick: ${(error as Error).message}`);
    }
  }
}
