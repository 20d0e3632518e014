import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { CHECK_QUEUE } from '../../platform/queue/store-queue.js';
import { ClaimDueNames } from './claim-due-names.js';
import { LeaseRepository } from './leases.repository.js';

/** Hands due names to workers. If a job is lost, its names are due again when their leases (locks) expire. */
@Injectable()
export class CheckClaims {
  constructor(
    private readonly claims: ClaimDueNames,
    private readonly leases: LeaseRepository,
    @InjectQueue(CHECK_QUEUE) private readonly queue: Queue,
  ) {}

  /** Enqueues all due names that the registry operators' rate limits allow. @returns whether there were any */
  async run(): Promise<boolean> {
    const batches = await this.claims.run();
    if (batches.length === 0) return false;
    const jobs = batches.map(({ operator, token, names }) => ({
      name: CHECK_QUEUE,
      data: { operator, token, names },
      opts: { jobId: `chk-${token}-${names[0] ?? ''}` }, // the queue ignores a second job with the same id
    }));
    try {
      await this.queue.addBulk(jobs);
    } catch (error) {
      await this.leases.release(batches); // else the names would wait until their leases expire
      throw error;
    }
    return true;
  }
}
