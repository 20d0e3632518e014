import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { CountedMessage } from '../domain/digests/message-quota.js';
import type { Claim } from '../domain/deliveries/delivery.js';
import { type DigestResult, type PendingDigest, DigestRepository } from './digest-repository.js';
import type { Digest, DigestKind } from '../domain/digests/digest-sender.js';
import { splitDigest } from './split-digest.sql.js';
import { DIGEST_TABLES } from './digest-tables.js';

@Injectable()
export class PostgresDigestRepository extends DigestRepository {
  private readonly leaseSeconds: number;

  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
    { leaseSeconds }: LeaseConfig,
  ) {
    super();
    this.leaseSeconds = leaseSeconds;
  }

  async hold(
    ids: readonly string[],
    digest: Omit<PendingDigest, 'failures'> & { dueAt: Date },
    withoutPlace: readonly CountedMessage[],
    now: Date,
  ): Promise<void> {
    const { id, kind, channelId, dueAt } = digest;
    const database = this.entities.getKysely();
    const { table, channelColumns } = DIGEST_TABLES[kind];
    await sql`
      insert into ${table} (id, due_at, failures, ${channelColumns})
      select ${id}, ${dueAt}::timestamptz, 0, ${channelColumns}
      from (select id as channel_id, account_id, host from notification_channels where id = ${channelId}) channel
      on conflict (id) do nothing`.execute(database);
    await sql`
      with others as (
        select id from deliveries d
        where host = (select host from notification_channels where id = ${channelId}) and channel_id = ${channelId}
          and state = 'pending' and digest_id is null
          and failures = 0 and next_attempt_at <= ${now}
          and exists (
            select from jsonb_to_recordset(${JSON.stringify(withoutPlace)}::jsonb) as alike(urgent boolean, "entryId" text)
            where alike.urgent = d.urgent and (
              alike."entryId" is null or alike."entryId" = (select entry_id from events where events.id = d.event_id)))
          and not exists (select from delivery_leases l where l.delivery_id = d.id and l.until > now())
        for update skip locked)
      update deliveries set digest_id = ${id}, next_attempt_at = ${dueAt}
      where state = 'pending' and (id = any(${[...ids]}) or id in (select id from others))`.execute(database);
    await this.release(ids);
  }

  async release(ids: readonly string[]): Promise<void> {
    await sql`delete from delivery_leases where delivery_id = any(${[...ids]})`.execute(this.entities.getKysely());
  }

  claimDue(kind: DigestKind, now: Date, limit: number): Promise<Claim[]> {
    return this.statements.run<Claim>(DIGEST_TABLES[kind].claimDue, [now, limit, this.leaseSeconds]);
  }

  async lockClaimed(kind: DigestKind, { id, token }: Claim): Promise<PendingDigest | null> {
    const { rows } = await sql<Omit<PendingDigest, 'kind'>>`
      select id, channel_id as "channelId", failures from ${DIGEST_TABLES[kind].table}
      where id = ${id} and lease_token = ${token} for update`.execute(this.entities.getKysely());
    return rows[0] ? { ...rows[0], kind } : null;
  }

  async startAttempts({ id, kind }: PendingDigest, now: Date): Promise<Digest['events']> {
    await splitDigest(id, DIGEST_TABLES[kind]).execute(this.entities.getKysely());
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

  async finishAttempts(digest: PendingDigest, ending: DigestResult): Promise<void> {
    const { id, kind, failures } = digest;
    const { outcome, durationMs, state, nextAttemptAt } = ending;
    const [database, isDelivered, isPending] = [this.entities.getKysely(), state === 'delivered', state === 'pending'];
    await sql`
      with ended as (
        update delivery_attempts attempt set duration_ms = ${durationMs}, outcome = ${outcome.outcome},
          response_status = ${outcome.responseStatus}, response_excerpt = ${outcome.responseExcerpt}
        from deliveries where deliveries.id = attempt.delivery_id and digest_id = ${id} and attempt.outcome is null
        returning delivery_id)
      update deliveries set
        state = case when ${isDelivered} or state = 'pending' then ${state} else state end,
        next_attempt_at = case when state = 'pending' then ${nextAttemptAt}::timestamptz end,
        failures = failures + ${isDelivered ? 0 : 1},
        digest_id = case when ${isPending} and state = 'pending' then digest_id end
      from ended where deliveries.id = ended.delivery_id`.execute(database);
    if (!isPending) return this.remove(digest);
    await sql`
      update ${DIGEST_TABLES[kind].table} set due_at = ${nextAttemptAt}, failures = ${failures + 1}, lease_token = null, lease_until = null
      where id = ${id}`.execute(database);
  }

  async pause(digest: PendingDigest): Promise<void> {
    await sql`
      update deliveries set state = 'paused', next_attempt_at = null, digest_id = null
      where digest_id = ${digest.id} and state = 'pending'`.execute(this.entities.getKysely());
    await this.remove(digest);
  }

  private async remove({ id, kind }: PendingDigest): Promise<void> {
    await sql`delete from ${DIGEST_TABLES[kind].table} where id = ${id}`.execute(this.entities.getKysely());
  }
}
