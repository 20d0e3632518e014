import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND } from '../../kernel/clock.js';
import { SyncSuspensions } from '../application/maintenance/sync-suspensions.js';

/** Brings suspensions of accounts through to their entries; more than one process may do so at a time. */
@Injectable()
export class SuspensionTick {
  private readonly log = new Logger(SuspensionTick.name);
  private running = false;

  constructor(private readonly suspensions: SyncSuspensions) {}

  @Interval(10 * SECOND)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      await this.suspensions.run();
    } catch (error) {
      this.log.warn(`the next tick goes on with suspended accounts: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }
}
