import { Injectable } from 'namewatch/nest';
import { EventSubscriber } from 'namewatch';
import { type Change, OutboxMessages } from './outbox-messages.js';

type Filter = 'watchlist.status_changed' | 'watchlist.phase_changed' | 'entry.removed';

/** Writes the messages in the transaction of the change; {@link SendOutbox} sends them. */
@Injectable()
export class RecordChanges extends EventSubscriber<Filter> {
  readonly filters = ['watchlist.status_changed', 'watchlist.phase_changed', 'entry.removed'] as const;

  constructor(private readonly messages: OutboxMessages) {
    super();
  }

  async handle(events: readonly Change[]): Promise<void> {
    await this.messages.add(events);
  }
}
