import { Processor } from '@nestjs/bullmq';
import { IsInt, Max, Min } from 'class-validator';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';

const MOST_CLAIMS = 1_000;

/** The job that tells a worker how many channels it may lock and serve. Losing or repeating a job does no harm. */
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
