import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { SuspendedDeliveryRepository } from '../ports/suspended-delivery-repository.js';

const BATCH_SIZE = 500;

/** Keeps back what suspended accounts would be sent, and lets it go when they are resumed. */
@Injectable()
export class SyncSuspendedDeliveries {
  constructor(
    private readonly deliveries: SuspendedDeliveryRepository,
    private readonly clock: Clock,
  ) {}

  /** Harmless to repeat, by several processes at once too. */
  async run(): Promise<void> {
    await this.deliveries.holdMail(this.clock.now());
    while ((await this.deliveries.pauseBatch(BATCH_SIZE)) > 0);
    while ((await this.deliveries.resumeBatch(this.clock.now(), BATCH_SIZE)) > 0);
  }
}
