import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { LeaseChannels } from './lease-channels.js';

/** Makes jobs cheap, and still spreads what is due over several workers. */
const CLAIMS_PER_JOB = 100;

/** Wakes workers up for channels with something due; they lease those that they serve. Any number of processes may do so. */
@Injectable()
export class DeliveryWakeUps {
  constructor(
    private readonly channels: LeaseChannels,
    @InjectQueue(DELIVERY_QUEUE) private readonly queue: Queue,
  ) {}

  /** @returns whether any has */
  async run(): Promise<boolean> {
    if (!(await this.channels.isAnyReady())) return false;
    // Without a worker, or while all are busy, jobs would pile up. A count would leave out those of a paused queue.
    const waiting = await this.queue.getWaiting(0, 0);
    if (waiting.length === 0) await this.queue.add(DELIVERY_QUEUE, { claims: CLAIMS_PER_JOB });
    return true;
  }
}
