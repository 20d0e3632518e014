import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../kernel/domain-event.js';
import { DeliveryRepository } from '../../domain/deliveries/delivery.js';

/**
 * What is still to be told about an entry that was taken off the watchlist is not told any more. Called inside the
 * transaction that takes it off, so that nothing new is sent about it after the answer to that request.
 */
@Injectable()
export class CancelDeliveries {
  constructor(private readonly deliveries: DeliveryRepository) {}

  async run(removed: readonly DomainEvent[]): Promise<void> {
    const entryIds = removed.map(({ payload }) => (payload as { readonly entry_id: string }).entry_id);
    await this.deliveries.cancelForEntries([...new Set(removed.map(({ accountId }) => accountId))], entryIds);
  }
}
