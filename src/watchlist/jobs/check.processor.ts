import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { readJob } from '../../platform/queue/read-job.js';
import { LookAtName } from '../application/look-at-name.js';
import { CheckJob, CHECKS } from './check.queue.js';

const CONCURRENCY = 25;

@Processor(CHECKS, { concurrency: CONCURRENCY })
export class CheckProcessor extends QueueWorker {
  constructor(private readonly look: LookAtName) {
    super();
  }

  /** Safe to run twice: the first run ends the lease, and the second then writes nothing. */
  async process(job: Job<unknown>): Promise<void> {
    const lease = readJob(CheckJob, job.data);
    if (lease) await this.look.run(lease);
    else this.log.warn(`job ${job.id ?? ''} is not one of ours and was dropped`);
  }
}
