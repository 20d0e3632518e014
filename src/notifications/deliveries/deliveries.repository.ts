import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Attempt } from '../domain/attempt.js';
import type { ChannelLease } from '../domain/channel-lease.js';
import { Delivery } from '../domain/delivery.js';
import { deliveryMapping } from '../mappings.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import { unnestParams, hydrate, selectColumns } from '../rows.sql.js';

const LOCK_CLAUSES = { wait: sql`for update of d, l`, skip: sql`for update of d, l skip locked` };
const COLUMNS = sqlText(selectColumns(deliveryMapping, 'd'));

/** Call all methods inside a unit of work. */
@Injectable()
export class DeliveryRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /**
   * The ORM does not track the returned deliveries: store changes with `finish`.
   * @param whenLocked `wait` for a single channel only, because a locked row would delay other channels
   */
  async lockLeased(
    leases: readonly ChannelLease[],
    ids: readonly string[],
    whenLocked: 'wait' | 'skip',
  ): Promise<Map<string, Delivery>> {
    const lease = unnestParams(leases);
    const rows = await this.statements.run<LeasedRow>(sql`
      select ${COLUMNS}, l.token
      from unnest(${lease('channelId')}::text[], ${lease('token')}::text[]) as given (channel_id, token)
      join channel_leases l on l.channel_id = given.channel_id and l.token = given.token
      join deliveries d on d.channel_id = l.channel_id and d.id = any(${[...ids]})
      order by d.id ${LOCK_CLAUSES[whenLocked]}`);
    return new Map(rows.map(({ token, ...row }) => [`${token} ${row.id}`, hydrate(Delivery, row)]));
  }

  /** Stores finished attempts and the new states of their deliveries, and unlocks the channels. */
  async finish(
    leases: readonly ChannelLease[],
    deliveries: readonly Delivery[],
    attempts: readonly Attempt[],
    messagedAt: Date,
  ): Promise<void> {
    const [lease, delivery, attempt] = [unnestParams(leases), unnestParams(deliveries), unnestParams(attempts)];
    await this.statements.run(sql`
      with written as (
        update deliveries d set state = given.state, failures = given.failures, next_attempt_at = given.next_attempt_at
        from unnest(
          ${delivery('id')}::text[], ${delivery('state')}::text[], ${delivery('failures')}::integer[],
          ${delivery('nextAttemptAt')}::timestamptz[]) as given (id, state, failures, next_attempt_at)
        where d.id = given.id),
      ended as (
        update channel_leases l set token = null, until = null, sending = '{}', messaged_at = ${messagedAt}
        from unnest(${lease('channelId')}::text[], ${lease('token')}::text[]) as given (channel_id, token)
        where l.channel_id = given.channel_id and l.token = given.token)
      update delivery_attempts set duration_ms = e.duration_ms, outcome = e.outcome,
        response_status = e.response_status, response_excerpt = e.response_excerpt
      from unnest(
        ${attempt('deliveryId')}::text[], ${attempt('number')}::integer[], ${attempt('durationMs')}::integer[],
        ${attempt('outcome')}::text[], ${attempt('responseStatus')}::integer[], ${attempt('responseExcerpt')}::text[])
        as e (delivery_id, number, duration_ms, outcome, response_status, response_excerpt)
      where delivery_attempts.delivery_id = e.delivery_id and delivery_attempts.number = e.number
      `);
  }

  async findLocked(accountId: string, id: string): Promise<Delivery | null> {
    const rows = await this.statements.run<object>(sql`
      select deliveries.* from deliveries join notification_channels channel on channel.id = channel_id
      where deliveries.id = ${id} and channel.account_id = ${accountId}
      for update of deliveries`);
    return rows[0] ? this.entities.map(Delivery, rows[0]) : null;
  }

  /**
   * Must run under the channel's lock.
   * @returns the number of deliveries; if more than `limit`, nothing was written
   */
  async replay(channelId: string, range: { from: Date; to: Date }, now: Date, limit: number): Promise<number> {
    // A delivery that is just being sent becomes due again, at a time after the start of its attempt. This time tells
    // `Delivery.finishAttempt` to leave the delivery due.
    const [counted] = await this.statements.run<{ found: number }>(sql`
      with being_sent as materialized (
        select delivery_id as id, max(a.started_at) as started_at from channel_leases l, delivery_attempts a
        where l.channel_id = ${channelId} and a.delivery_id = any(l.sending) group by a.delivery_id),
      found as materialized (
        select d.id from deliveries d
        where d.channel_id = ${channelId} and d.created_at between ${range.from} and ${range.to}
          and (d.state <> 'pending' or d.id in (select id from being_sent))
        limit ${limit + 1}),
      locked as materialized (
        select d.id from deliveries d
        where d.id = any(array(select id from found)) and (select count(*) from found) <= ${limit}
        order by d.id for update),
      due as (
        update deliveries d set state = 'pending', failures = 0, urgent = false,
          next_attempt_at = greatest(${now}::timestamptz,
            (select b.started_at + interval '1 millisecond' from being_sent b where b.id = d.id))
        from locked where d.id = locked.id)
      select count(*)::int as found from found`);
    return counted?.found ?? 0;
  }

  /** Ends the pending deliveries about these entries. Locks channels before deliveries to avoid deadlocks. */
  async cancelForEntries(accountIds: readonly string[], entryIds: readonly string[]): Promise<void> {
    await this.statements.run(sql`
      select id from notification_channels where account_id = any(${[...accountIds]})
      order by id for no key update`);
    await this.statements.run(sql`
      with pending as materialized (
        select d.id from events join deliveries d on d.event_id = events.id
        where events.entry_id = any(${[...entryIds]}) and d.state = 'pending' order by d.id for update of d)
      update deliveries set state = 'disabled', next_attempt_at = null from pending where deliveries.id = pending.id`);
  }

  /** Pauses pending deliveries. An attempt in progress goes on, because the attempt may still succeed. */
  async pauseForChannels(channelIds: readonly string[]): Promise<void> {
    await this.statements.run(sql`
      with pending as materialized (
        select id from deliveries where channel_id = any(${[...channelIds]}) and state = 'pending' order by id for update)
      update deliveries set state = 'paused', next_attempt_at = null from pending where deliveries.id = pending.id`);
  }
}

type LeasedRow = Pick<Delivery, keyof Delivery> & { readonly token: string };
