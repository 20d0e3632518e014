import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import type { Job } from 'bullmq';
import { readJob } from '../../platform/queue/read-job.js';
import { LookAtName } from '../application/look-at-name.js';
import { CheckJob, CHECKS } from './check.queue.js';

const CONCURRENCY = 25;

@Processor(CHECKS, { concurrency: CONCURRENCY })
export class CheckProcessor extends WorkerHost {
  private readonly log = new Logger(CheckProcessor.name);

  constructor(private readonly look: LookAtName) {
    super();
  }

  /** Safe to run twice: the first run ends the lease, and the second then writes nothing. */
  async process(job: Job<unknown>): Promise<void> {
    const lease = readJob(CheckJob, job.data);
    if (lease) await this.look.run(lease);
    else this.log.warn(`job ${job.id ?? ''} is not one of ours and was dropped`);
  }

  @OnWorkerEvent('failed')
  failed(job: Job | undefined, error: Error): void {
    this.log.error({ err: error, job: job?.id }, 'a look could not be recorded; it is repeated after its lease');
  }

  @OnWorkerEvent('error')
  away(error: Error): void {
    this.log.warn(`the queue is away: ${error.message}`);
  }
}
