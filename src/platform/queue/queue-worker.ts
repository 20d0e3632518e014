import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Job, Worker } from 'bullmq';
import type { WorkerFactory, WorkerOptions } from './worker-factory.js';

/** Base of all queue processors: start, shutdown, and logging of failures. */
export abstract class QueueWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly log = new Logger(this.constructor.name);
  private worker: Worker | null = null;
  private readonly running = new Set<Promise<void>>();

  protected constructor(
    private readonly options: WorkerOptions,
    private readonly workers: WorkerFactory,
  ) {}

  protected abstract process(job: Job<unknown>): Promise<void>;

  async onApplicationBootstrap(): Promise<void> {
    this.worker = this.workers.create(this.options, (job: Job<unknown>) => this.track(job));
    this.worker.on('failed', (job, error) => this.logFailedJob(job, error));
    await this.workers.run(this.worker);
  }

  /**
   * Lets running jobs finish while everything that they need still exists. BullMQ pauses for five seconds, and again,
   * while it cannot reach its store: that is not waited for.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const closed = this.worker?.close() ?? Promise.resolve();
    await (this.workers.isStoreDown ? Promise.race([closed, Promise.allSettled(this.running)]) : closed);
  }

  private track(job: Job<unknown>): Promise<void> {
    const work = this.process(job).finally(() => this.running.delete(work));
    this.running.add(work);
    return work;
  }

  private logFailedJob(job: Job | undefined, error: Error): void {
    this.log.error({ err: error, job: job?.id }, 'a job failed; its work is repeated after the lease');
  }
}
