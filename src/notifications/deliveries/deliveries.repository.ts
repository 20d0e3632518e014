import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { LeaseConfig } from '../../config/sections.js';
import type { FieldsOf } from '../../kernel/aggregate-root.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  type SucceededAttempt,
  type AttemptChanges,
  type StartedAttempt,
  type Claim,
  Delivery,
  CONCURRENCY_LIMITS,
} from '../domain/delivery.js';
import { START_ATTEMPTS, FIND_CLAIMED, MARK_DELIVERED, SELECT_CLAIMED, toResultParams } from './attempts.sql.js';
import { CLAIM_DUE, CLAIM_LOCK, RELEASE } from './claims.sql.js';
import { unnestParams, toDate, hydrate, type Row } from '../rows.sql.js';

const LOCK_CLAUSES = { wait: sql`for update of d, l`, skip: sql`for update of d, l skip locked` };

/** Methods that say "own statement" need no unit of work; the others run inside one. */
@Injectable()
export class DeliveryRepository {
  private readonly leaseSeconds: number;

  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
    config: LeaseConfig,
  ) {
    this.leaseSeconds = config.leaseSeconds;
  }

  /**
   * Own statement. Claims due deliveries without a lease, within the concurrency limits; accounts that compete for a
   * host take turns. An unfinished attempt of an expired lease becomes `lost`.
   * @param limit claims in progress at a time, over all processes
   * @param exceptHosts where nothing is claimed
   */
  claimDue(now: Date, limit: number, exceptHosts: readonly string[] = []): Promise<Claim[]> {
    const { perChannel, perHost } = CONCURRENCY_LIMITS;
    const values = [now, limit, this.leaseSeconds, perChannel, perHost, exceptHosts];
    return this.statements.runExclusive<Claim>(CLAIM_LOCK, CLAIM_DUE, values);
  }

  /** Own statement. Releases claims that could not be enqueued. */
  async release(claims: readonly Claim[]): Promise<void> {
    await this.statements.run(RELEASE, [claims.map(({ id }) => id), claims.map(({ token }) => token)]);
  }

  /**
   * The deliveries of these claims, locked, and outside any identity map: only `save` writes them.
   * @param whenLocked `wait` for one delivery only: two transactions that wait for several could deadlock
   */
  async lockClaimed(claims: readonly Claim[], whenLocked: 'wait' | 'skip'): Promise<Delivery[]> {
    const claim = unnestParams(claims);
    const { rows } = await sql<Row<Delivery>>`
      select ${sql.raw(SELECT_CLAIMED)}
      from unnest(${claim('id')}::text[], ${claim('token')}::text[]) as claim (id, token)
      join delivery_leases l on l.delivery_id = claim.id and l.token = claim.token
      join deliveries d on d.id = l.delivery_id
      ${LOCK_CLAUSES[whenLocked]}`.execute(this.entities.getKysely());
    return rows.map(toDelivery);
  }

  /** Own statement. The deliveries of these claims, neither locked nor in any identity map: for `startAttempts`. */
  async findClaimed(claims: readonly Claim[]): Promise<Delivery[]> {
    const claim = unnestParams(claims);
    const rows = await this.statements.run<FieldsOf<Delivery>>(FIND_CLAIMED, [claim('id'), claim('token')]);
    return rows.map((row) => hydrate(Delivery, row));
  }

  /**
   * Own statement. Starts attempts under claims that are still valid and renews their leases. Skips deliveries that
   * belong to a digest or are no longer pending: those need a unit of work.
   * @param started at most one per delivery
   * @returns the ids of the deliveries whose attempt started
   */
  async startAttempts(started: readonly StartedAttempt[]): Promise<ReadonlySet<string>> {
    if (started.length === 0) return new Set();
    const claim = unnestParams(started.map(({ claim }) => claim));
    const attempt = unnestParams(started.map(({ attempt }) => attempt));
    const tokens = started.map(({ delivery }) => delivery.leaseToken);
    const values = [tokens, attempt('number'), attempt('startedAt'), this.leaseSeconds];
    const rows = await this.statements.run<{ id: string }>(START_ATTEMPTS, [claim('id'), claim('token'), ...values]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Own statement. Marks deliveries as delivered whose channel has no failure recorded.
   * @returns the tokens of those that it marked; the others need a unit of work
   */
  async markDelivered(succeeded: readonly SucceededAttempt[]): Promise<ReadonlySet<string>> {
    const rows = await this.statements.run<{ token: string }>(MARK_DELIVERED, toResultParams(succeeded));
    return new Set(rows.map(({ token }) => token));
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
        set token = given.token, until = now() + make_interval(secs => ${this.leaseSeconds})
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
      update deliveries set state = 'disabled', next_attempt_at = null
      from events where events.id = deliveries.event_id and events.entry_id = any(${[...entryIds]})
        and deliveries.state = 'pending'`.execute(database);
  }

  /** Keeps the leases: an attempt in progress may still succeed. */
  async pauseForChannels(channelIds: readonly string[]): Promise<void> {
    await sql`
      update deliveries set state = 'paused', next_attempt_at = null
      where channel_id = any(${[...channelIds]}) and state = 'pending'`.execute(this.entities.getKysely());
  }
}

function toDelivery(row: Row<Delivery>): Delivery {
  const nextAttemptAt = toDate(row.nextAttemptAt);
  return hydrate(Delivery, { ...row, nextAttemptAt, createdAt: new Date(row.createdAt) });
}
