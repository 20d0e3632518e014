import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { SuspendedDeliveryRepository } from './suspended-deliveries.repository.js';

const BATCH_SIZE = 500;

/** Pauses the deliveries of suspended accounts, and resumes them with the accounts. */
@Injectable()
export class SyncSuspendedDeliveries {
  constructor(
    private readonly deliveries: SuspendedDeliveryRepository,
    private readonly clock: Clock,
  ) {}

  /** Safe to run in several processes at once. */
  async run(signal?: AbortSignal): Promise<void> {
    await this.deliveries.holdMail(this.clock.now());
    while (!signal?.aborted && (await this.deliveries.pauseBatch(BATCH_SIZE)) > 0);
    while (!signal?.aborted && (await this.deliveries.resumeBatch(this.clock.now(), BATCH_SIZE)) > 0);
  }
}
