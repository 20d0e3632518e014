import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { LeaseChannels } from './lease-channels.js';

/** Enough channels for few jobs, but few enough to spread due channels over several workers. */
const CLAIMS_PER_JOB = 100;

/** Wakes workers when a channel has something due. They lease the channels, so any number of processes may do so. */
@Injectable()
export class DeliveryWakeUps {
  constructor(
    private readonly channels: LeaseChannels,
    @InjectQueue(DELIVERY_QUEUE) private readonly queue: Queue,
  ) {}

  /** @returns whether any channel has something due */
  async run(): Promise<boolean> {
    if (!(await this.channels.isAnyReady())) return false;
    // A waiting job is enough: without an idle worker, more jobs would pile up. Counting them would miss those of a
    // paused queue.
    const waiting = await this.queue.getWaiting(0, 0);
    if (waiting.length === 0) await this.queue.add(DELIVERY_QUEUE, { claims: CLAIMS_PER_JOB });
    return true;
  }
}
