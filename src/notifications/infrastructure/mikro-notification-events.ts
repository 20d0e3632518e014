import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Delivery } from '../domain/delivery.js';
import { NotificationEvent, NotificationEvents } from '../domain/notification-event.js';

@Injectable()
export class MikroNotificationEvents extends NotificationEvents {
  constructor(private readonly entities: EntityManager) {
    super();
  }

  /** One statement for any number of them. */
  async publish(events: readonly NotificationEvent[], deliveries: readonly Delivery[]): Promise<void> {
    const event = columnsOf(events);
    const delivery = columnsOf(deliveries);
    await sql`
      with published as (
        insert into events (id, account_id, type, entry_id, body, created_at)
        select * from unnest(
          ${event('id')}::text[], ${event('accountId')}::text[], ${event('type')}::text[],
          ${event('entryId')}::text[], ${event('body')}::text[], ${event('createdAt')}::timestamptz[]))
      insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at)
      select * from unnest(
        ${delivery('id')}::text[], ${delivery('eventId')}::text[], ${delivery('channelId')}::text[],
        ${delivery('state')}::text[], ${delivery('nextAttemptAt')}::timestamptz[],
        ${delivery('createdAt')}::timestamptz[])`.execute(this.entities.getKysely());
  }

  find(id: string): Promise<NotificationEvent | null> {
    return this.entities.findOne(NotificationEvent, { id });
  }
}

function columnsOf<Row>(rows: readonly Row[]) {
  return (column: keyof Row) => rows.map((row) => row[column]);
}
