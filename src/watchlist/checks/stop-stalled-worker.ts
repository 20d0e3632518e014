import { Injectable, Logger } from '@nestjs/common';
import { FatalStallSignal } from '../../platform/fatal-stall-signal.js';
import { WorkerWatchdog } from './worker-watchdog.js';

/** Stops a worker that completes no checks, so that its supervisor restarts it. */
@Injectable()
export class StopStalledWorker {
  private readonly log = new Logger(StopStalledWorker.name);
  private isStopping = false;
  readonly intervalMs: number;

  constructor(
    private readonly worker: WorkerWatchdog,
    private readonly stall: FatalStallSignal,
  ) {
    this.intervalMs = worker.sampleIntervalMs;
  }

  async run(): Promise<void> {
    if (this.isStopping || !(await this.worker.detectStall())) return;
    this.isStopping = true;
    const reason = 'names are due and this worker completes no checks: stopping it for a restart';
    this.log.fatal(reason);
    this.stall.raise(reason);
  }
}
