import { Processor } from '@nestjs/bullmq';
import { Type } from 'class-transformer';
import { ArrayNotEmpty, IsArray, IsObject, IsUUID, Matches, ValidateNested } from 'class-validator';
import { JobProcessor } from '../../platform/queue/job-processor.js';
import { DELIVERY_QUEUE } from '../../platform/queue/store-queue.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';

class ClaimedDelivery {
  @Matches(/^dl_[0-9a-z]{26}$/) id: string;
  @IsUUID() token: string;
}

/** A job holds claims only; all else is read from PostgreSQL. */
class DeliveryJob {
  @IsArray()
  @ArrayNotEmpty()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => ClaimedDelivery)
  deliveries: ClaimedDelivery[];
}

@Processor(DELIVERY_QUEUE, { concurrency: 20 })
export class DeliveryProcessor extends JobProcessor<DeliveryJob> {
  constructor(private readonly dispatcher: DeliveryDispatcher) {
    super(DeliveryJob);
  }

  /**
   * Does not wait for the deliveries: a few slow receivers would block the queue. Safe to run twice: the first run
   * replaces the tokens of the claims.
   */
  protected override run({ deliveries }: DeliveryJob): void {
    this.dispatcher.dispatch(deliveries);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.dispatcher.drain();
  }
}
