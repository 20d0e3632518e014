import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { IdempotencyStore } from './idempotency-store.js';

/** Deletes expired responses; any number of processes may do so. */
@Injectable()
export class PurgeResponses {
  private readonly log = new Logger(PurgeResponses.name);

  constructor(private readonly store: IdempotencyStore) {}

  @Interval(10 * MINUTE)
  async tick(): Promise<void> {
    try {
      await this.store.purgeExpired();
    } catch (error) {
      this.log.warn(`expired responses are deleted at the next tick:  ${(error as Error).message}`);
    }
  }
}
