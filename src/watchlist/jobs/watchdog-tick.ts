import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND } from '../../kernel/clock.js';
import { Doorbell, InjectDoorbell } from '../../platform/queue/doorbell.js';
import { Progress } from '../application/progress.js';
import { CHECKS } from './check.queue.js';

const EVERY = 10 * SECOND;
/** A look takes twelve seconds at most: a minute in which none ends, while jobs wait, means that nobody hears them. */
const PATIENCE = 6;

/**
 * Ends a worker that completes nothing while jobs wait in its queue: whoever supervises it starts one that does. One
 * that has nothing to do, or whose queue cannot be asked, is left alone.
 */
@Injectable()
export class WatchdogTick {
  private readonly log = new Logger(WatchdogTick.name);
  private deafTicks = 0;

  constructor(
    private readonly progress: Progress,
    @InjectDoorbell(CHECKS) private readonly doorbell: Doorbell,
  ) {}

  @Interval(EVERY)
  async tick(): Promise<void> {
    const isBusy = this.progress.takeNote();
    this.deafTicks = !isBusy && (await this.jobsWait()) ? this.deafTicks + 1 : 0;
    if (this.deafTicks >= PATIENCE) this.giveUp();
  }

  private async jobsWait(): Promise<boolean> {
    try {
      return (await this.doorbell.waiting()) > 0;
    } catch (error) {
      this.log.warn(`cannot tell whether jobs wait: ${(error as Error).message}`);
      return false;
    }
  }

  /** In good order, as for a signal from outside, but with a code that says that something was wrong. */
  private giveUp(): void {
    this.log.fatal('jobs wait, and this worker has completed nothing for a minute: it ends, to be started again');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  }
}
