import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { KeptReplies } from './idempotency-store.js';

/** Keeps replies no longer than a day. */
@Injectable()
export class ForgetReplies {
  private readonly log = new Logger(ForgetReplies.name);

  constructor(private readonly kept: KeptReplies) {}

  @Interval(10 * MINUTE)
  async tick(): Promise<void> {
    try {
      await this.kept.prune();
    } catch (error) {
      this.log.warn(`old replies stay until the next tick: ${(error as Error).message}`);
    }
  }
}
