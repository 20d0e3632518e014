import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND } from '../../kernel/clock.js';
import { Watchdog } from '../application/watchdog.js';

/** Ends a worker that completes nothing while work is due: whoever supervises it starts one that does. */
@Injectable()
export class WatchdogTick {
  private readonly log = new Logger(WatchdogTick.name);

  constructor(private readonly watchdog: Watchdog) {}

  @Interval(10 * SECOND)
  async tick(): Promise<void> {
    try {
      if (await this.watchdog.isDeaf()) this.giveUp();
    } catch (error) {
      this.log.warn(`cannot tell whether work waits: ${(error as Error).message}`);
    }
  }

  /** In good order, as for a signal from outside, but with a code that says that something was wrong. */
  private giveUp(): void {
    this.log.fatal('names are due, and this worker has completed nothing for a minute: it ends, to be started again');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  }
}
