import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { SuspendedDeliveries } from '../ports/suspended-delivery-repository.js';

const BATCH = 500;

/** Keeps back what suspended accounts would be sent, and lets it go when they are resumed. */
@Injectable()
export class FollowSuspensions {
  constructor(
    private readonly deliveries: SuspendedDeliveries,
    private readonly clock: Clock,
  ) {}

  /** Harmless to repeat, by several processes at once too. */
  async run(): Promise<void> {
    await this.deliveries.holdMail(this.clock.now());
    while ((await this.deliveries.pauseSome(BATCH)) > 0);
    while ((await this.deliveries.resumeSome(this.clock.now(), BATCH)) > 0);
  }
}
