import { Injectable } from '@nestjs/common';
import { isId } from '../../kernel/identifier.js';
import { OwnershipGuard } from '../channels/channel-ownership.guard.js';
import { DeliveryReader } from './delivery-reader.repository.js';
import { DeliveryNotFound, WatchedEntryNotFound } from '../domain/notifications.errors.js';

export const DELIVERY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^dl_[0-9a-z]{26}$' },
  description: 'The `id` of a delivery: send a test event to a channel, or take one from the deliveries of a channel.',
} as const;

export const ENTRY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^wl_[0-9a-z]{26}$' },
  description:
    'The `id` of an entry: take one from the list. The `id` of a removed entry works while its events are kept.',
} as const;

@Injectable()
export class DeliveryOwnershipGuard extends OwnershipGuard {
  constructor(private readonly deliveries: DeliveryReader) {
    super();
  }

  protected async requireOwn(accountId: string, id: string): Promise<void> {
    const delivery = isId('dl', id) ? await this.deliveries.find(accountId, id) : null;
    if (!delivery) throw new DeliveryNotFound();
  }
}

/** Lets pass who watches the entry that deliveries are about, or did. */
@Injectable()
export class WatchedEntryGuard extends OwnershipGuard {
  constructor(private readonly deliveries: DeliveryReader) {
    super();
  }

  protected async requireOwn(accountId: string, id: string): Promise<void> {
    const isKnown = isId('wl', id) && (await this.deliveries.knowsEntry(accountId, id));
    if (!isKnown) throw new WatchedEntryNotFound();
  }
}
