import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Clock } from '../../kernel/clock.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { RefillingHosts } from './refilling-hosts.js';
import { CONCURRENCY_LIMITS } from '../domain/delivery.js';
import { DeliveryRepository } from './deliveries.repository.js';

/** Large enough to be cheap, small enough to spread over several workers. */
const CLAIMS_PER_JOB = 25;

/**
 * Claims due deliveries and enqueues them for the workers. Any number of processes may do so; each delivery is claimed
 * once. A lost job costs one lease time, after which its deliveries are due again.
 */
@Injectable()
export class DeliveryClaims {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly refilling: RefillingHosts,
    private readonly clock: Clock,
    @InjectQueue(DELIVERY_QUEUE) private readonly queue: Queue,
  ) {}

  /** Claims all that is due now. After the signal it claims no more: other processes can take it sooner. */
  async run(signal: AbortSignal): Promise<void> {
    let isMoreDue = true;
    while (isMoreDue && !signal.aborted) isMoreDue = await this.claimAndEnqueue();
  }

  private async claimAndEnqueue(): Promise<boolean> {
    const { total } = CONCURRENCY_LIMITS;
    const claims = await this.deliveries.claimDue(this.clock.now(), total, this.refilling.list());
    if (claims.length === 0) return false;
    const jobs = Array.from({ length: Math.ceil(claims.length / CLAIMS_PER_JOB) }, (_, index) => {
      const deliveries = claims.slice(index * CLAIMS_PER_JOB, (index + 1) * CLAIMS_PER_JOB);
      const jobId = `dlv-${deliveries[0]?.token}`; // keeps one claim from being enqueued twice
      return { name: DELIVERY_QUEUE, data: { deliveries }, opts: { jobId } };
    });
    try {
      await this.queue.addBulk(jobs);
    } catch (error) {
      await this.deliveries.release(claims); // so that they need not wait for their leases to expire
      throw error;
    }
    return claims.length > total - CLAIMS_PER_JOB;
  }
}
