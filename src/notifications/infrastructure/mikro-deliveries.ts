import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Config } from '../../config.js';
import { Statements } from '../../platform/statements.js';
import type { Attempt } from '../domain/attempt.js';
import { type Claim, Deliveries, Delivery, type RepeatRange } from '../domain/delivery.js';

/**
 * Business time says what is due; leases begin and end by the database's clock alone. The limit is that of claims under
 * way, over all processes: what workers cannot begin before its lease ends is better left than claimed twice.
 */
const CLAIM_DUE = {
  name: 'deliveries_claim_due',
  text: `
    with due as (
      select id from deliveries
      where state = 'pending' and next_attempt_at <= $1 and (lease_token is null or lease_until <= now())
      order by next_attempt_at
      limit greatest(0, $2 - (select count(*) from deliveries where lease_token is not null and lease_until > now()))
      for update skip locked),
    lost as (
      update delivery_attempts attempt set outcome = 'lost' from due
      where attempt.delivery_id = due.id and attempt.outcome is null)
    update deliveries set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $3)
    from due where deliveries.id = due.id
    returning deliveries.id, deliveries.lease_token as token`,
};
/** Whoever has one locked is changing it anyway, and waiting for several could wait in a circle. */
const GIVE_BACK = {
  name: 'deliveries_give_back',
  text: `
    with mine as (
      select deliveries.id from deliveries
      join unnest($1::text[], $2::text[]) as claim (id, token)
        on deliveries.id = claim.id and deliveries.lease_token = claim.token
      for update of deliveries skip locked)
    update deliveries set lease_token = null, lease_until = null from mine where deliveries.id = mine.id`,
};

@Injectable()
export class MikroDeliveries extends Deliveries {
  private readonly leaseSeconds: number;

  constructor(
    private readonly entities: EntityManager,
    private readonly statements: Statements,
    config: Config,
  ) {
    super();
    this.leaseSeconds = config.leaseSeconds;
  }

  claimDue(now: Date, limit: number): Promise<Claim[]> {
    return this.statements.run<Claim>(CLAIM_DUE, [now, limit, this.leaseSeconds]);
  }

  async giveBack(claims: readonly Claim[]): Promise<void> {
    await this.statements.run(GIVE_BACK, [claims.map(({ id }) => id), claims.map(({ token }) => token)]);
  }

  async take({ id, token }: Claim): Promise<Delivery | null> {
    const { rows } = await sql<object>`
      update deliveries
      set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => ${this.leaseSeconds})
      where id = ${id} and lease_token = ${token} and state = 'pending'
      returning *`.execute(this.entities.getKysely());
    return rows[0] ? this.entities.map(Delivery, rows[0]) : null;
  }

  heldBy({ id, token }: Claim): Promise<Delivery | null> {
    return this.entities.findOne(Delivery, { id, leaseToken: token }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  async findLocked(accountId: string, id: string): Promise<Delivery | null> {
    const { rows } = await sql<object>`
      select deliveries.* from deliveries join notification_channels channel on channel.id = channel_id
      where deliveries.id = ${id} and channel.account_id = ${accountId}
      for update of deliveries`.execute(this.entities.getKysely());
    return rows[0] ? this.entities.map(Delivery, rows[0]) : null;
  }

  async addAttempt({ deliveryId, number, startedAt }: Attempt): Promise<void> {
    await sql`
      insert into delivery_attempts (delivery_id, number, started_at)
      values (${deliveryId}, ${number}, ${startedAt})`.execute(this.entities.getKysely());
  }

  async endAttempt(attempt: Attempt): Promise<void> {
    const { deliveryId, number, durationMs, outcome, responseStatus, responseExcerpt } = attempt;
    await sql`
      update delivery_attempts set duration_ms = ${durationMs}, outcome = ${outcome},
        response_status = ${responseStatus}, response_excerpt = ${responseExcerpt}
      where delivery_id = ${deliveryId} and number = ${number}`.execute(this.entities.getKysely());
  }

  /** Channels first, as everybody locks them who then locks more than one delivery. */
  async withdraw(accountIds: readonly string[], entryIds: readonly string[]): Promise<void> {
    const database = this.entities.getKysely();
    await sql`
      select id from notification_channels where account_id = any(${[...accountIds]})
      order by id for no key update`.execute(database);
    await sql`
      update deliveries set state = 'disabled', next_attempt_at = null
      from events where events.id = deliveries.event_id and events.entry_id = any(${[...entryIds]})
        and deliveries.state = 'pending'`.execute(database);
  }

  /** Keeps the tokens: an attempt under way may still say that it arrived. */
  async pauseAllFor(channelId: string): Promise<void> {
    await sql`
      update deliveries set state = 'paused', next_attempt_at = null
      where channel_id = ${channelId} and state = 'pending'`.execute(this.entities.getKysely());
  }

  /** A delivery bears the time of its event. */
  async repeatAll(channelId: string, { from, to, now }: RepeatRange): Promise<number> {
    const { numAffectedRows } = await sql`
      update deliveries set state = 'pending', failures = 0, next_attempt_at = ${now}
      where channel_id = ${channelId} and state <> 'pending' and created_at between ${from} and ${to}
      `.execute(this.entities.getKysely());
    return Number(numAffectedRows ?? 0);
  }
}
