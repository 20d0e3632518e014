import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { RequestTokens } from '../domain/local-token-pool.js';

/** Forgets whose minutes are over; any number of processes may do so at a time. */
@Injectable()
export class RequestLimitsTick {
  private readonly log = new Logger(RequestLimitsTick.name);

  constructor(private readonly tokens: RequestTokens) {}

  @Interval(MINUTE)
  async tick(): Promise<void> {
    try {
      await this.tokens.prune();
    } catch (error) {
      this.log.warn(`minutes that are over stay until the next tick: ${(error as Error).message}`);
    }
  }
}
