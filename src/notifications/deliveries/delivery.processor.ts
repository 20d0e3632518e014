import { Processor } from '@nestjs/bullmq';
import { IsInt, Max, Min } from 'class-validator';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { CONCURRENCY_LIMITS } from '../domain/delivery.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';

/** A job says how many deliveries a worker may claim; a lost or repeated one costs nothing. */
class WakeUp {
  @IsInt() @Min(1) @Max(CONCURRENCY_LIMITS.total) claims: number;
}

@Processor(DELIVERY_QUEUE, { concurrency: 20 })
export class DeliveryProcessor extends JobProcessor<WakeUp> {
  constructor(private readonly dispatcher: DeliveryDispatcher) {
    super(WakeUp);
  }

  /** Does not wait for the deliveries: a few slow receivers would block the queue. */
  protected override run({ claims }: WakeUp): void {
    this.dispatcher.wakeUp(claims);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.dispatcher.drain();
  }
}
