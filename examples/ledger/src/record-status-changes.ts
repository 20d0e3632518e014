import { type EventOf, EventSubscriber } from 'namewatch';
import { EntityManager } from 'namewatch/mikro-orm';
import { Injectable } from 'namewatch/nest';
import { LedgerEntry } from './ledger-entry.js';

type StatusChanged = EventOf<'watchlist.status_changed'>;

@Injectable()
export class RecordStatusChanges extends EventSubscriber<'watchlist.status_changed'> {
  readonly filters = ['watchlist.status_changed'] as const; // includes watchlist.available

  constructor(private readonly entities: EntityManager) {
    super();
  }

  async handle(events: readonly StatusChanged[]): Promise<void> {
    await this.entities.upsertMany(LedgerEntry, events.map(toEntry), { onConflictAction: 'ignore' });
  }
}

function toEntry({ id: eventId, accountId, occurredAt: at, payload }: StatusChanged): LedgerEntry {
  const { domain, previous_status: previousStatus, status } = payload;
  return { eventId, accountId, domain, previousStatus, status, at };
}
