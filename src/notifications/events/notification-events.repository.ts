import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import type { Delivery } from '../domain/delivery.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { CURRENT_XID } from '../../platform/database/transaction-order.js';
import { unnestParams, hydrate, selectColumns } from '../rows.sql.js';
import { eventMapping } from '../mappings.js';

/**
 * One statement, so that readers see the deletion and the feed's new start at once. `state || ''` avoids an index scan
 * over all pending deliveries per event.
 */
const PURGE = {
  name: 'events_purge',
  text: `
    with old as (
      select id from events where created_at < $1 and not exists (
        select 1 from deliveries join notification_channels c on c.id = channel_id join accounts a on a.id = c.account_id
        where event_id = events.id and state || '' = 'pending' and a.suspended_at is null)
      order by created_at limit $2),
    gone as (
      delete from events using old where events.id = old.id returning events.account_id, events.xid, events.seq),
    horizons as (
      insert into event_feed_starts (account_id, xid, seq)
      select distinct on (account_id) account_id, xid, seq from gone order by account_id, xid desc, seq desc
      on conflict (account_id) do update set xid = excluded.xid, seq = excluded.seq
        where (event_feed_starts.xid, event_feed_starts.seq) < (excluded.xid, excluded.seq))
    select count(*)::int as forgotten from gone`,
};

const COLUMNS = selectColumns(eventMapping, 'e');

/** Stores and deletes events. All methods except `purge` must run inside a unit of work. */
@Injectable()
export class NotificationEventRepository {
  constructor(private readonly statements: SqlClient) {}

  async publish(events: readonly NotificationEvent[], deliveries: readonly Delivery[]): Promise<void> {
    const event = unnestParams(events);
    const delivery = unnestParams(deliveries);
    await this.statements.run(sql`
      with published as (
        insert into events (xid, id, account_id, type, entry_id, body, created_at, traceparent)
        select ${sqlText(CURRENT_XID)}, * from unnest(
          ${event('id')}::text[], ${event('accountId')}::text[], ${event('type')}::text[],
          ${event('entryId')}::text[], ${event('body')}::text[], ${event('createdAt')}::timestamptz[], ${event('traceparent')}::text[]))
      insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at, urgent)
      select * from unnest(
        ${delivery('id')}::text[], ${delivery('eventId')}::text[], ${delivery('channelId')}::text[],
        ${delivery('state')}::text[], ${delivery('nextAttemptAt')}::timestamptz[], ${delivery('createdAt')}::timestamptz[],
        ${delivery('urgent')}::boolean[])`);
  }

  /** The ORM does not store changes to the returned events. */
  async findByIds(ids: readonly string[]): Promise<NotificationEvent[]> {
    const rows = await this.statements.run<NotificationEvent>(sql`
      select ${sqlText(COLUMNS)} from events e where e.id = any(${[...ids]})`);
    return rows.map((row) => hydrate(NotificationEvent, row));
  }

  /**
   * Keeps events with a pending delivery, unless the account is suspended.
   * @returns how many were deleted, at most `limit`
   */
  async purge(before: Date, limit: number): Promise<number> {
    const [counted] = await this.statements.run<{ forgotten: number }>(PURGE, [before, limit]);
    return counted?.forgotten ?? 0;
  }
}
