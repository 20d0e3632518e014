import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { WorkerFactory } from '../../platform/queue/worker-factory.js';
import { parseJob } from '../../platform/queue/parse-job.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { DELIVERIES, DeliveryJob } from './delivery.queue.js';

const CONCURRENCY = 20;

@Injectable()
export class DeliveryProcessor extends QueueWorker {
  constructor(
    private readonly dispatcher: DeliveryDispatcher,
    workers: WorkerFactory,
  ) {
    super({ queue: DELIVERIES, concurrency: CONCURRENCY }, workers);
  }

  /**
   * Does not wait for the deliveries: a few slow receivers would block the queue. Safe to run twice: the first run
   * replaces the tokens of the claims.
   */
  process(job: Job<unknown>): Promise<void> {
    const claims = parseJob(DeliveryJob, job.data)?.deliveries;
    if (claims) this.dispatcher.dispatch(claims);
    else this.log.warn(`job ${job.id ?? ''} is not one of ours and was dropped`);
    return Promise.resolve();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.dispatcher.drain();
  }
}
