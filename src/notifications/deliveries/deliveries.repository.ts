import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { LeaseConfig } from '../../config/sections.js';
import type { Attempt } from '../domain/attempt.js';
import { type Claim, Delivery } from '../domain/delivery.js';
import { deliveryMapping } from '../mappings.js';
import { closedAs } from './delivery-conditions.sql.js';
import { unnestParams, toDate, hydrate, type Row, selectColumns } from '../rows.sql.js';

const LOCK_CLAUSES = { wait: sql`for update of d, l`, skip: sql`for update of d, l skip locked` };
const COLUMNS = sql.raw(selectColumns(deliveryMapping, 'd'));
const PAUSED = sql.raw(closedAs('paused'));
const DISABLED = sql.raw(closedAs('disabled'));

/** The attempts to store along with deliveries. */
interface AttemptChanges {
  readonly started?: readonly Attempt[];
  readonly finished?: readonly Attempt[];
}

/** Runs inside a unit of work. */
@Injectable()
export class DeliveryRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly config: LeaseConfig,
  ) {}

  /**
   * The deliveries of these claims, locked, and outside any identity map: only `save` writes them.
   * @param whenLocked `wait` for one delivery only: two transactions that wait for several could deadlock
   */
  async lockClaimed(claims: readonly Claim[], whenLocked: 'wait' | 'skip'): Promise<Delivery[]> {
    const claim = unnestParams(claims);
    const { rows } = await sql<Row<Delivery>>`
      select ${COLUMNS}, l.token as "leaseToken"
      from unnest(${claim('id')}::text[], ${claim('token')}::text[]) as claim (id, token)
      join delivery_leases l on l.delivery_id = claim.id and l.token = claim.token
      join deliveries d on d.id = l.delivery_id
      ${LOCK_CLAUSES[whenLocked]}`.execute(this.entities.getKysely());
    return rows.map(toDelivery);
  }

  /** The ids of those locked channels that accepted a delivery after their first failure. */
  async findReachedSinceFailing(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ id: string }>`
      select c.id from notification_channels c where c.id = any(${[...channelIds]}) and exists (
        select from deliveries d join events e on e.id = d.event_id join delivery_attempts a on a.delivery_id = d.id
        where d.channel_id = c.id and e.type not like 'channel.%' and a.outcome = 'ok'
          and a.started_at + make_interval(secs => a.duration_ms / 1000.0) >= c.first_failure_at)`.execute(
      this.entities.getKysely(),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Stores the deliveries; renews the leases of those with a token, ends the others. */
  async save(deliveries: readonly Delivery[], { started = [], finished = [] }: AttemptChanges): Promise<void> {
    const [delivery, startedParams, finishedParams] = [
      unnestParams(deliveries),
      unnestParams(started),
      unnestParams(finished),
    ];
    await sql`
      with given as (
        select * from unnest(
          ${delivery('id')}::text[], ${delivery('state')}::text[], ${delivery('attempts')}::integer[],
          ${delivery('failures')}::integer[], ${delivery('nextAttemptAt')}::timestamptz[],
          ${delivery('leaseToken')}::text[]) as given (id, state, attempts, failures, next_attempt_at, token)),
      written as (
        update deliveries d set state = given.state, attempts = given.attempts, failures = given.failures,
          next_attempt_at = given.next_attempt_at
        from given where d.id = given.id),
      kept as (
        update delivery_leases l
        set token = given.token, until = now() + make_interval(secs => ${this.config.leaseSeconds})
        from given where l.delivery_id = given.id and given.token is not null),
      ended as (
        delete from delivery_leases l using given where l.delivery_id = given.id and given.token is null),
      begun as (
        insert into delivery_attempts (delivery_id, number, started_at)
        select * from unnest(
          ${startedParams('deliveryId')}::text[], ${startedParams('number')}::integer[], ${startedParams('startedAt')}::timestamptz[]))
      update delivery_attempts set duration_ms = e.duration_ms, outcome = e.outcome,
        response_status = e.response_status, response_excerpt = e.response_excerpt
      from unnest(
        ${finishedParams('deliveryId')}::text[], ${finishedParams('number')}::integer[], ${finishedParams('durationMs')}::integer[],
        ${finishedParams('outcome')}::text[], ${finishedParams('responseStatus')}::integer[], ${finishedParams('responseExcerpt')}::text[])
        as e (delivery_id, number, duration_ms, outcome, response_status, response_excerpt)
      where delivery_attempts.delivery_id = e.delivery_id and delivery_attempts.number = e.number
      `.execute(this.entities.getKysely());
  }

  /** The account's delivery of this id, locked. */
  async findLocked(accountId: string, id: string): Promise<Delivery | null> {
    const { rows } = await sql<object>`
      select deliveries.* from deliveries join notification_channels channel on channel.id = channel_id
      where deliveries.id = ${id} and channel.account_id = ${accountId}
      for update of deliveries`.execute(this.entities.getKysely());
    return rows[0] ? this.entities.map(Delivery, rows[0]) : null;
  }

  /** Lock order: channels before deliveries. */
  async cancelForEntries(accountIds: readonly string[], entryIds: readonly string[]): Promise<void> {
    const database = this.entities.getKysely();
    await sql`
      select id from notification_channels where account_id = any(${[...accountIds]})
      order by id for no key update`.execute(database);
    await sql`
      update deliveries set ${DISABLED}
      from events where events.id = deliveries.event_id and events.entry_id = any(${[...entryIds]})
        and deliveries.state = 'pending'`.execute(database);
  }

  /** Keeps the leases: an attempt in progress may still succeed. */
  async pauseForChannels(channelIds: readonly string[]): Promise<void> {
    await sql`
      update deliveries set ${PAUSED}
      where channel_id = any(${[...channelIds]}) and state = 'pending'`.execute(this.entities.getKysely());
  }
}

function toDelivery(row: Row<Delivery>): Delivery {
  const nextAttemptAt = toDate(row.nextAttemptAt);
  return hydrate(Delivery, { ...row, nextAttemptAt, createdAt: new Date(row.createdAt) });
}
