import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { StoreWorker } from './store-queue.js';

/** Base class of queue processors. Handles start, shutdown, validation of jobs, and logging of failures. */
export abstract class JobProcessor<Data extends object>
  extends WorkerHost<StoreWorker>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  protected readonly log = new Logger(this.constructor.name);
  private isStarted = false;

  protected constructor(private readonly shape: new () => Data) {
    super();
  }

  /** Does the work of a job. It must be safe to run twice with equal data. */
  protected abstract run(data: Data): Promise<void> | void;

  async onApplicationBootstrap(): Promise<void> {
    if (!(this.worker instanceof StoreWorker))
      throw new Error('the host application has set BullModule.workerClass: run Namewatch in a process of its own');
    this.isStarted = true;
    await this.worker.start();
  }

  /** Closes the worker first. Services that its running jobs need are closed afterwards. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.isStarted) await this.worker.close();
  }

  /**
   * BullMQ calls this for each job. Validates the job's data, because other programs may write to the queue's store.
   */
  async process(job: Job<unknown>): Promise<void> {
    const data = parseJob(this.shape, job.data);
    if (data) await this.run(data);
    else this.log.warn(`job ${job.id ?? ''} has an unknown payload: dropped`);
  }

  @OnWorkerEvent('failed')
  protected logFailedJob(job: Job | undefined, error: Error): void {
    this.log.error({ err: error, job: job?.id }, 'a job failed; its work is repeated after the lease');
  }
}

function parseJob<Data extends object>(shape: new () => Data, data: unknown): Data | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const job = plainToInstance(shape, data);
  return validateSync(job, { whitelist: true, forbidUnknownValues: true }).length === 0 ? job : null;
}
