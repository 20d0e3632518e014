import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { parseJob } from '../../platform/queue/parse-job.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { DELIVERIES, DeliveryJob } from './delivery.queue.js';

const CONCURRENCY = 20;

@Processor(DELIVERIES, { concurrency: CONCURRENCY })
export class DeliveryProcessor extends QueueWorker {
  constructor(private readonly dispatcher: DeliveryDispatcher) {
    super();
  }

  /**
   * A job is over once its claims are handed on: were it to wait for its receivers, a few slow ones would hold up all
   * jobs behind it. Safe to run twice, for the first run spends the claims.
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
