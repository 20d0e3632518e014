import { type EventOf, EventSubscriber } from 'namewatch';
import { EntityManager } from 'namewatch/mikro-orm';
import { Injectable } from 'namewatch/nest';
import { Drop } from './drop.js';

/** Writes in the transaction of the change: both are kept, or neither is. No network here. */
@Injectable()
export class RecordDrops extends EventSubscriber<'watchlist.available'> {
  readonly filters = ['watchlist.available'] as const;

  constructor(private readonly entities: EntityManager) {
    super();
  }

  async handle(events: readonly EventOf<'watchlist.available'>[]): Promise<void> {
    const rows = events.map(({ id: eventId, accountId, occurredAt: at, payload }) => {
      return { eventId, accountId, domain: payload.domain, at };
    });
    await this.entities.upsertMany(Drop, rows, { onConflictAction: 'ignore' });
  }
}
