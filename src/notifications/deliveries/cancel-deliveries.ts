import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { DeliveryRepository } from '../domain/deliveries/delivery.js';

/**
 * Disables pending deliveries about deleted entries, in the transaction that deletes them: after that request, no new
 * attempt is made.
 */
@Injectable()
export class CancelDeliveries {
  constructor(private readonly deliveries: DeliveryRepository) {}

  async run(removed: readonly DomainEvent[]): Promise<void> {
    const entryIds = removed.map(({ payload }) => (payload as { readonly entry_id: string }).entry_id);
    await this.deliveries.cancelForEntries([...new Set(removed.map(({ accountId }) => accountId))], entryIds);
  }
}
