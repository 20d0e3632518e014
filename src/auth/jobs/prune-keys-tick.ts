import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { PruneKeys } from '../application/prune-keys.js';

/** Any number of processes may do so at a time. */
@Injectable()
export class PruneKeysTick {
  private readonly log = new Logger(PruneKeysTick.name);

  constructor(private readonly pruneKeys: PruneKeys) {}

  @Interval(10 * MINUTE)
  async tick(): Promise<void> {
    try {
      await this.pruneKeys.run();
    } catch (error) {
      this.log.warn(`revoked and expired keys stay until the next tick: ${(error as Error).message}`);
    }
  }
}
