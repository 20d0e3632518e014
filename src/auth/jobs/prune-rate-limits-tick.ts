import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { RateLimitStore } from '../domain/local-token-pool.js';

/** Forgets whose minutes are over; any number of processes may do so at a time. */
@Injectable()
export class PruneRateLimitsTick {
  private readonly log = new Logger(PruneRateLimitsTick.name);

  constructor(private readonly store: RateLimitStore) {}

  @Interval(MINUTE)
  async tick(): Promise<void> {
    try {
      await this.store.purgeExpired();
    } catch (error) {
      this.log.warn(`minutes that are over stay until the next tick: ${(error as Error).message}`);
    }
  }
}
