import { EntityManager } from 'namewatch/mikro-orm';
import { Injectable } from 'namewatch/nest';
import type { EventOf } from 'namewatch';

export type Change = EventOf<'watchlist.status_changed' | 'watchlist.phase_changed' | 'entry.removed'>;

/** A message that waits to be sent. */
export interface OutboxMessage {
  /** The same whenever it is sent: receivers drop what they have. */
  readonly eventId: string;
  readonly accountId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly data: object;
  /** Attempts so far. */
  readonly failures: number;
}

/** The statements of the table `outbox_messages`. In a transaction they are part of it. */
@Injectable()
export class OutboxMessages {
  constructor(private readonly entities: EntityManager) {}

  /** Keeps one message of an event that comes twice. */
  async add(events: readonly Change[]): Promise<void> {
    await this.entities.execute(
      `insert into outbox_messages (event_id, account_id, entry_id, type, occurred_at, data, due_at)
        select id, "accountId", payload ->> 'entry_id', type, "occurredAt", payload, "occurredAt"
        from jsonb_to_recordset(?::jsonb)
          as event (id text, "accountId" text, type text, "occurredAt" timestamptz, payload jsonb)
        on conflict (event_id) do nothing`,
      [JSON.stringify(events)],
    );
  }

  /** Finds the first message of each entry, if it is due: the later ones wait for it, and for no other entry's. */
  findDue(now: Date, limit: number): Promise<OutboxMessage[]> {
    return this.entities.execute(
      `select event_id as "eventId", account_id as "accountId", type, occurred_at as "occurredAt", data, failures
        from outbox_messages message
        where due_at <= ? and not exists (
          select from outbox_messages earlier
          where earlier.entry_id = message.entry_id and earlier.sequence < message.sequence)
        order by sequence limit ?`,
      [now, limit],
    );
  }

  async remove(eventId: string): Promise<void> {
    await this.entities.execute('delete from outbox_messages where event_id = ?', [eventId]);
  }

  async postpone(eventId: string, dueAt: Date): Promise<void> {
    await this.entities.execute('update outbox_messages set failures = failures + 1, due_at = ? where event_id = ?', [
      dueAt,
      eventId,
    ]);
  }

  /** Removes messages from before `since`, and the oldest of those that are more than `most`. @returns how many */
  async dropOverdue(since: Date, most: number): Promise<number> {
    const { affectedRows } = await this.run(
      `delete from outbox_messages where occurred_at < ? or sequence <=
        (select sequence from outbox_messages order by sequence desc offset ? limit 1)`,
      [since, most],
    );
    return affectedRows;
  }

  /** @returns how many were removed, at most `limit` */
  async removeOfAccount(accountId: string, limit: number): Promise<number> {
    const { affectedRows } = await this.run(
      `delete from outbox_messages where event_id in
        (select event_id from outbox_messages where account_id = ? limit ?)`,
      [accountId, limit],
    );
    return affectedRows;
  }

  private run(text: string, values: readonly unknown[]): Promise<{ affectedRows: number }> {
    return this.entities.execute(text, [...values], 'run');
  }
}
