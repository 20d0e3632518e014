import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { IdempotencyStore } from './idempotency-store.js';

/** Keeps replies no longer than a day. */
@Injectable()
export class PurgeResponses {
  private readonly log = new Logger(PurgeResponses.name);

  constructor(private readonly store: IdempotencyStore) {}

  @Interval(10 * MINUTE)
  async tick(): Promise<void> {
    try {
      await this.store.purgeExpired();
    } catch (error) {
      this.log.warn(`old replies stay until the next tick: ${(error as Error).message}`);
    }
  }
}
