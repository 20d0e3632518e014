import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { OutageLog } from '../logging/outage-log.js';

/** Base of all queue processors: readiness, shutdown, and logging of failures. */
export abstract class QueueWorker extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly log = new Logger(this.constructor.name);

  /**
   * BullMQ 6.7 never recovers from a failed first connection to PostgreSQL and then polls without a pause, so the start
   * waits for that connection. Redis may connect later.
   */
  async onApplicationBootstrap(): Promise<void> {
    if ('connectionString' in this.worker.opts.connection) await this.worker.waitUntilReady();
  }

  /** Lets running jobs finish while everything that they need still exists. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.close();
  }

  @OnWorkerEvent('failed')
  logFailedJob(job: Job | undefined, error: Error): void {
    this.log.error({ err: error, job: job?.id }, 'a job failed; its work is repeated after the lease');
  }

  @OnWorkerEvent('error')
  logConnectionError(error: Error): void {
    OutageLog.forDependency('connectionString' in this.worker.opts.connection ? 'PostgreSQL' : 'Redis').reportDown(
      error.message,
    );
  }
}
