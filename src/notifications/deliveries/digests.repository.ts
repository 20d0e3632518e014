import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { AttemptOutcome } from '../domain/attempt.js';
import type { Claim } from '../domain/delivery.js';
import type { Digest, DigestKind, CountedMessage } from '../domain/message-quota.js';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { closedAs, IS_CLAIMABLE, IS_FREE } from './delivery-conditions.sql.js';

/** Deliveries of a channel that wait to be sent as one message. */
export interface PendingDigest {
  readonly id: string;
  readonly kind: DigestKind;
  readonly channelId: string;
  /** Failed attempts. */
  readonly failures: number;
}

/** The result of an attempt at a digest, the same for each delivery in it. */
interface DigestResult {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  /** null when it was the last: it was delivered, or has failed. */
  readonly nextAttemptAt: Date | null;
}

/**
 * Digests of chats in progress at a host, over all processes: a slow receiver delays its own host only. Mails have no host
 * of their own, and a relay takes as many as each process sends at a time.
 */
const HOST_LIMIT = 5;
/** Limits what a claim sorts: after an outage of a relay, many more may be due. */
const MOST_COMPARED = 5_000;
/** The same for an account: it cannot fill the slots of a process with slow receivers. */
const ACCOUNT_LIMIT = 3;

/**
 * Claims due digests of a kind, each under a lease. Accounts take turns, at a host and overall, whatever their number of
 * channels: the digests of one account do not delay those of the others.
 *
 * $1 now, $2 limit, $3 lease in seconds, $4 kind
 */
const CLAIM = {
  name: 'digests_claim_due',
  text: `
    with in_progress as materialized (
      select host, account_id from digests where kind = $4 and lease_token is not null and lease_until > now()),
    in_progress_at_host as (select host, count(*) as used from in_progress group by host),
    in_progress_of_account as (select account_id, count(*) as used from in_progress group by account_id),
    due as materialized (
      select id, host, account_id, due_at from digests
      where kind = $4 and due_at <= $1 and (lease_token is null or lease_until <= now())
        and account_id not in (select account_id from in_progress_of_account where used >= ${ACCOUNT_LIMIT})
      order by due_at limit ${MOST_COMPARED}),
    turns as (
      select *, row_number() over (partition by host, account_id order by due_at, id) as turn_at_host from due),
    ranked as (
      select *, row_number() over (partition by host order by turn_at_host, due_at, id) as host_rank from turns),
    fitting as (
      select ranked.* from ranked left join in_progress_at_host using (host)
      where $4 = 'mail' or coalesce(used, 0) + host_rank <= ${HOST_LIMIT}),
    account_turns as (
      select id, due_at,
        coalesce(used, 0) + row_number() over (partition by account_id order by host_rank, due_at, id) as turn
      from fitting left join in_progress_of_account using (account_id)),
    locked as (
      select id from digests
      where id = any(array(
          select id from account_turns where turn <= ${ACCOUNT_LIMIT} order by turn, due_at, id limit $2))
        and (lease_token is null or lease_until <= now())
      for update skip locked)
    update digests set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $3)
    from locked where digests.id = locked.id
    returning digests.id, digests.lease_token as token`,
};

/** Limits one message. Relays reject larger mails; a chat's lists the first and counts the rest, all read into memory. */
const MAX_EVENTS: Readonly<Record<DigestKind, number>> = { mail: 1_000, chat: 10_000 };

/**
 * Runs inside a unit of work; `claimDue` is a statement of its own. Stands beside the deliveries, which it puts into digests;
 * what sends them may import deliveries, and not the other way round.
 */
@Injectable()
export class DigestRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  /**
   * Adds claimed deliveries to a digest, creates it if needed, and ends their leases. Other due deliveries of the
   * channel without a lease are added too where there is no place for them either, which saves claiming them one by one.
   */
  async hold(
    ids: readonly string[],
    digest: Omit<PendingDigest, 'failures'> & { dueAt: Date },
    withoutPlace: readonly CountedMessage[],
    now: Date,
  ): Promise<void> {
    const { id, kind, channelId, dueAt } = digest;
    const database = this.entities.getKysely();
    await sql`
      insert into digests (id, kind, due_at, failures, channel_id, account_id, host)
      select ${id}, ${kind}, ${dueAt}::timestamptz, 0, id, account_id, host
      from notification_channels where id = ${channelId}
      on conflict (id) do nothing`.execute(database);
    await sql`
      with others as (
        select id from deliveries d
        where d.host = (select host from notification_channels where id = ${channelId}) and d.channel_id = ${channelId}
          and ${sql.raw(IS_CLAIMABLE)} and ${sql.raw(IS_FREE)}
          and d.failures = 0 and d.next_attempt_at <= ${now}
          and exists (
            select from jsonb_to_recordset(${JSON.stringify(withoutPlace)}::jsonb) as alike(urgent boolean, "entryId" text)
            where alike.urgent = d.urgent and (
              alike."entryId" is null or alike."entryId" = (select entry_id from events where events.id = d.event_id)))
        for update skip locked)
      update deliveries set digest_id = ${id}, next_attempt_at = ${dueAt}
      where state = 'pending' and (id = any(${[...ids]}) or id in (select id from others))`.execute(database);
    await this.release(ids);
  }

  /** Ends the leases of deliveries that were claimed while another transaction added them to a digest. */
  async release(ids: readonly string[]): Promise<void> {
    await sql`delete from delivery_leases where delivery_id = any(${[...ids]})`.execute(this.entities.getKysely());
  }

  /** Claims due digests, each under a lease. */
  claimDue(kind: DigestKind, now: Date, limit: number): Promise<Claim[]> {
    return this.statements.run<Claim>(CLAIM, [now, limit, this.config.leaseSeconds, kind]);
  }

  /** The digest, locked; null when the claim is no longer valid. */
  async lockClaimed({ id, token }: Claim): Promise<PendingDigest | null> {
    const { rows } = await sql<PendingDigest>`
      select id, kind, channel_id as "channelId", failures from digests
      where id = ${id} and lease_token = ${token} for update`.execute(this.entities.getKysely());
    return rows[0] ?? null;
  }

  /**
   * Starts an attempt at each pending delivery in it; unfinished attempts become `lost`.
   * @returns its events, urgent ones first, then the oldest
   */
  async startAttempts(digest: PendingDigest, now: Date): Promise<Digest['events']> {
    await this.split(digest);
    const { id } = digest;
    const { rows } = await sql<Digest['events'][number]>`
      with mine as (
        select id, event_id, urgent, attempts + 1 as number from deliveries
        where digest_id = ${id} and state = 'pending' order by id for update),
      lost as (
        update delivery_attempts attempt set outcome = 'lost' from mine
        where attempt.delivery_id = mine.id and attempt.outcome is null),
      counted as (update deliveries set attempts = mine.number from mine where deliveries.id = mine.id),
      begun as (
        insert into delivery_attempts (delivery_id, number, started_at)
        select id, number, ${now}::timestamptz from mine)
      select events.id, type, body from mine join events on events.id = mine.event_id
      order by urgent desc, created_at, events.id`.execute(this.entities.getKysely());
    return rows;
  }

  /** Stores the result. A delivery that was paused or disabled meanwhile stays so, unless it was delivered. */
  async finishAttempts(digest: PendingDigest, ending: DigestResult): Promise<void> {
    const { id, failures } = digest;
    const { outcome, durationMs, nextAttemptAt } = ending;
    const [isDelivered, isPending] = [outcome.outcome === 'ok', nextAttemptAt !== null];
    const undelivered = isPending ? 'pending' : 'failed';
    const database = this.entities.getKysely();
    await sql`
      with ended as (
        update delivery_attempts attempt set duration_ms = ${durationMs}, outcome = ${outcome.outcome},
          response_status = ${outcome.responseStatus}, response_excerpt = ${outcome.responseExcerpt}
        from deliveries where deliveries.id = attempt.delivery_id and digest_id = ${id} and attempt.outcome is null
        returning delivery_id)
      update deliveries set
        state = case when ${isDelivered} then 'delivered' when state = 'pending' then ${undelivered} else state end,
        next_attempt_at = case when state = 'pending' then ${nextAttemptAt}::timestamptz end,
        failures = failures + ${isDelivered ? 0 : 1},
        digest_id = case when ${isPending} and state = 'pending' then digest_id end
      from ended where deliveries.id = ended.delivery_id`.execute(database);
    if (!isPending) return this.remove(digest);
    await sql`
      update digests set due_at = ${nextAttemptAt}, failures = ${failures + 1}, lease_token = null, lease_until = null
      where id = ${id}`.execute(database);
  }

  /** Pauses its deliveries and removes it: the channel is inactive. */
  async pause(digest: PendingDigest): Promise<void> {
    await sql`
      update deliveries set ${sql.raw(closedAs('paused'))}, digest_id = null
      where digest_id = ${digest.id} and state = 'pending'`.execute(this.entities.getKysely());
    await this.remove(digest);
  }

  /**
   * Keeps the urgent and oldest deliveries in a locked digest and moves the rest to a new one that is due at once, with
   * an id and hence a Message-ID of its own. That one is split in turn.
   */
  private async split({ id, kind }: PendingDigest): Promise<void> {
    await sql`
      with rest as (
        select id from deliveries where digest_id = ${id} and state = 'pending'
        order by urgent desc, created_at, id offset ${MAX_EVENTS[kind]}),
      another as (
        insert into digests (id, kind, due_at, failures, channel_id, account_id, host)
        select ${randomUUID()}, kind, due_at, 0, channel_id, account_id, host from digests
        where id = ${id} and exists (select from rest)
        returning id)
      update deliveries set digest_id = another.id from another, rest where deliveries.id = rest.id`.execute(
      this.entities.getKysely(),
    );
  }

  private async remove({ id }: PendingDigest): Promise<void> {
    await sql`delete from digests where id = ${id}`.execute(this.entities.getKysely());
  }
}
