import { InjectQueue, Processor } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import { IsInt, Max, Min } from 'class-validator';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { LeaseChannels } from './lease-channels.js';

const MOST_CLAIMS = 1_000;

/** Tells a worker how many channels to lock and serve. Losing or repeating the job does no harm. */
class WakeUp {
  @IsInt() @Min(1) @Max(MOST_CLAIMS) claims: number;
}

@Processor(DELIVERY_QUEUE, { concurrency: 20 })
export class DeliveryProcessor extends JobProcessor<WakeUp> {
  constructor(private readonly dispatcher: DeliveryDispatcher) {
    super(WakeUp);
  }

  /** Does not wait for the deliveries, because a few slow receivers would block the queue. */
  protected override run({ claims }: WakeUp): void {
    this.dispatcher.wakeUp(claims);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.dispatcher.drain();
  }
}

/** How many channels a worker locks for one job. Large numbers save jobs, small numbers use more workers. */
const CLAIMS_PER_JOB = 100;

/** Wakes workers when a delivery is due. Several processes may run this, because workers lock each channel. */
@Injectable()
export class DeliveryWakeUps {
  constructor(
    private readonly channels: LeaseChannels,
    @InjectQueue(DELIVERY_QUEUE) private readonly queue: Queue,
  ) {}

  /** @returns whether any channel has something due */
  async run(): Promise<boolean> {
    if (!(await this.channels.isAnyReady())) return false;
    // Adds no job while one waits, so that jobs do not pile up.
    const waiting = await this.queue.getWaiting(0, 0);
    if (waiting.length === 0) await this.queue.add(DELIVERY_QUEUE, { claims: CLAIMS_PER_JOB });
    return true;
  }
}
