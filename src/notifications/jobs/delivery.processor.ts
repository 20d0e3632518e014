import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { readJob } from '../../platform/queue/read-job.js';
import { Deliver } from '../application/deliver.js';
import { DELIVERIES, DeliveryJob } from './delivery.queue.js';

/** Attempts wait for receivers most of the time. */
const CONCURRENCY = 20;

@Processor(DELIVERIES, { concurrency: CONCURRENCY })
export class DeliveryProcessor extends QueueWorker {
  constructor(private readonly deliver: Deliver) {
    super();
  }

  /** Safe to run twice: the first run spends the claims. One that fails leaves the others to finish. */
  async process(job: Job<unknown>): Promise<void> {
    const claims = readJob(DeliveryJob, job.data)?.deliveries;
    if (!claims) return this.log.warn(`job ${job.id ?? ''} is not one of ours and was dropped`);
    const attempts = await Promise.allSettled(claims.map((claim) => this.deliver.run(claim)));
    const errors = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as Error] : []));
    const [first, ...others] = errors;
    if (first) throw others.length === 0 ? first : new AggregateError(errors);
  }
}
