import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { OutageLog } from '../logging/outage-log.js';

/** What every processor of a queue here has in common: when it is ready, and what it says of failures. */
export abstract class QueueWorker extends WorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly log = new Logger(this.constructor.name);

  /**
   * BullMQ 6.7 remembers for good that its first connection to PostgreSQL failed, and then asks again without a pause:
   * so the service is not started before that connection stands. Redis may come later.
   */
  async onApplicationBootstrap(): Promise<void> {
    if ('connectionString' in this.worker.opts.connection) await this.worker.waitUntilReady();
  }

  /** Lets the jobs under way finish while everything that they need is still there. */
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
