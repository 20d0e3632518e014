import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { FatalStallSignal } from '../../platform/fatal-stall-signal.js';
import { WorkerWatchdog } from '../application/checks/worker-watchdog.js';

/** Ends a worker that has come to a standstill: whoever supervises it starts one that works. */
@Injectable()
export class WatchdogTick implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(WatchdogTick.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly worker: WorkerWatchdog,
    private readonly resignation: FatalStallSignal,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tick(), this.worker.judgedEvery).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async tick(): Promise<void> {
    if (!(await this.worker.isAtAStandstill())) return;
    clearInterval(this.timer);
    const reason = 'names are due, and this worker completes nothing: it ends, to be started again';
    this.log.fatal(reason);
    this.resignation.raise(reason);
  }
}
