import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND } from '../../kernel/clock.js';
import { ReleaseDropBrakes } from '../application/maintenance/release-drop-brakes.js';

/** Looks after the drops that are held back. */
@Injectable()
export class BrakeTick {
  private readonly log = new Logger(BrakeTick.name);
  private running = false;

  constructor(private readonly release: ReleaseDropBrakes) {}

  @Interval(5 * SECOND)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      for (const { operator, tld } of await this.release.run())
        this.log.log({ operator, tld }, 'its canaries are right: drops are believed again');
    } catch (error) {
      this.log.warn(`brakes hold until the next tick: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }
}
