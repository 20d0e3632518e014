import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Clock } from '../../kernel/clock.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { CONCURRENCY_LIMITS } from '../domain/delivery.js';
import { DeliveryClaimRepository } from './claims.repository.js';

/** Large enough to be cheap, small enough to spread what is due over several workers. */
const CLAIMS_PER_JOB = 100;

/** Wakes workers up for deliveries that are due; they claim what they send. Any number of processes may do so. */
@Injectable()
export class DeliveryWakeUps {
  constructor(
    private readonly claims: DeliveryClaimRepository,
    private readonly clock: Clock,
    @InjectQueue(DELIVERY_QUEUE) private readonly queue: Queue,
  ) {}

  async run(): Promise<void> {
    const due = await this.claims.countDue(this.clock.now(), CONCURRENCY_LIMITS.total);
    if (due === 0) return;
    // Without a worker, or while all are busy, jobs would pile up.
    const needed = Math.ceil(due / CLAIMS_PER_JOB);
    const waiting = await this.queue.getWaiting(0, needed - 1); // counts would leave out those of a paused queue
    const missing = needed - waiting.length;
    if (missing <= 0) return;
    const job = { name: DELIVERY_QUEUE, data: { claims: CLAIMS_PER_JOB } };
    await this.queue.addBulk(Array.from({ length: missing }, () => job));
  }
}
