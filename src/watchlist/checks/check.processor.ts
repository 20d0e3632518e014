import { Injectable } from '@nestjs/common';
import type { Job } from 'bullmq';
import { QueueWorker } from '../../platform/queue/queue-worker.js';
import { WorkerFactory } from '../../platform/queue/worker-factory.js';
import { parseJob } from '../../platform/queue/parse-job.js';
import { CheckDueNames } from './check-due-names.js';
import { CheckJob, CHECK_QUEUE } from './check.queue.js';

const CONCURRENCY = 25;
/** Reading a batch and writing its results take milliseconds each, in which a request waits. */
const CONCURRENCY_BESIDE_REQUESTS = 1;

@Injectable()
export class CheckProcessor extends QueueWorker {
  constructor(
    private readonly checkNames: CheckDueNames,
    workers: WorkerFactory,
  ) {
    super(
      {
        ...{ queue: CHECK_QUEUE, concurrency: CONCURRENCY },
        concurrencyBesideRequests: CONCURRENCY_BESIDE_REQUESTS,
      },
      workers,
    );
  }

  /** Safe to run twice: the first run ends the leases, so the second writes nothing. */
  async process(job: Job<unknown>): Promise<void> {
    const batch = parseJob(CheckJob, job.data);
    if (batch) await this.checkNames.run(batch);
    else this.log.warn(`job ${job.id ?? ''} has an unknown payload: dropped`);
  }
}
