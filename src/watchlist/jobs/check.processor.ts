import { Processor } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { parseJob } from '../../platform/queue/parse-job.js';
import { CheckDueNames } from '../application/checks/check-due-names.js';
import { CheckJob, CHECK_QUEUE } from './check.queue.js';

const CONCURRENCY = 25;

@Processor(CHECK_QUEUE, { concurrency: CONCURRENCY })
export class CheckProcessor extends QueueWorker {
  constructor(private readonly checkNames: CheckDueNames) {
    super();
  }

  /** Safe to run twice: the first run ends the leases, so the second writes nothing. */
  async process(job: Job<unknown>): Promise<void> {
    const batch = parseJob(CheckJob, job.data);
    if (batch) await this.checkNames.run(batch);
    else this.log.warn(`job ${job.id ?? ''} has an unknown payload: dropped`);
  }
}
