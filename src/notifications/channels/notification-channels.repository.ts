import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import { mailboxKey, type Recipient } from '../domain/mailbox.js';
import { NotificationChannel } from '../domain/notification-channel.js';
import { channelMapping } from '../mappings.js';
import { selectColumns, hydrate } from '../rows.sql.js';

const WITHOUT_RELAY = {
  name: 'channels_without_relay',
  text: `select id from notification_channels where reason = 'mail_not_configured' order by id limit $1`,
};

const COLUMNS = selectColumns(channelMapping, 'c');

/** Call its methods inside a unit of work (a transaction). Only `findIdsWithoutRelay` may run outside. */
@Injectable()
export class NotificationChannelRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Passes all values as parameters, because PostgreSQL logs failed statements and a target may contain a token. */
  async add(channel: NotificationChannel): Promise<void> {
    const { id, accountId, type, target, canonicalTarget, host, sealedSecret, active, reason } = channel;
    const { sealedTarget, sealedCredential, label, summary } = channel;
    await this.statements.run(sql`
      insert into notification_channels (id, account_id, type, target, label, canonical_target, host, sealed_target,
        sealed_credential, sealed_secret, older_secrets, active, event_types, tags, headers, reason, disabled_at, first_failure_at, confirmed_at, summary, next_summary_at, created_at)
      values (${id}, ${accountId}, ${type}, ${target}, ${label}, ${canonicalTarget}, ${host}, ${sealedTarget},
        ${sealedCredential}, ${sealedSecret}, ${JSON.stringify(channel.olderSecrets)}::jsonb, ${active}, ${[...channel.eventTypes]}::text[],
        ${[...channel.tags]}::text[], ${JSON.stringify(channel.headers)}::jsonb, ${reason}, ${channel.disabledAt},
        ${channel.firstFailureAt}, ${channel.confirmedAt}, ${summary && JSON.stringify(summary)}::jsonb, ${channel.nextSummaryAt}, ${channel.createdAt})`);
  }

  /** Deletes the channel and its deliveries. */
  remove(channel: NotificationChannel): void {
    this.entities.remove(channel);
  }

  /** Counts the account's channels. Until the unit of work ends, no other request can add a channel. */
  async lockAndCount(accountId: string): Promise<number> {
    const lock = `notification_channels of ${accountId}`;
    await this.statements.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
    return this.entities.count(NotificationChannel, { accountId });
  }

  /** @param canonicalTarget the target, or its hash if it is secret */
  async findIdByTarget(accountId: string, type: string, canonicalTarget: string): Promise<string | null> {
    const rows = await this.statements.run<{ id: string }>(sql`
      select id from notification_channels
      where account_id = ${accountId} and type = ${type} and canonical_target = ${canonicalTarget}`);
    return rows[0]?.id ?? null;
  }

  /** Call `lockAndCount` first, so that concurrent requests cannot take the same label. */
  async findIdByLabel(accountId: string, label: string): Promise<string | null> {
    const rows = await this.statements.run<{ id: string }>(sql`
      select id from notification_channels
      where account_id = ${accountId} and lower(label) = lower(${label})`);
    return rows[0]?.id ?? null;
  }

  /** Reads without locks. The ORM does not store changes to the returned channels. */
  async findByIds(ids: readonly string[]): Promise<NotificationChannel[]> {
    const rows = await this.statements.run<NotificationChannel>(sql`
      select ${sqlText(COLUMNS)} from notification_channels c where id = any(${[...ids]})`);
    return rows.map((row) => hydrate(NotificationChannel, row));
  }

  /** Locks with `for no key update`, because `for update` would block inserts of the channel's deliveries. */
  async findLocked(id: string, accountId?: string): Promise<NotificationChannel | null> {
    const own = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
    const rows = await this.statements.run<object>(sql`
      select * from notification_channels where id = ${id} ${own} for no key update`);
    return rows[0] ? this.entities.map(NotificationChannel, rows[0]) : null;
  }

  /** Locks several channels in the order of their ids, which prevents deadlocks. */
  async findAllLocked(ids: readonly string[]): Promise<NotificationChannel[]> {
    const rows = await this.statements.run<object>(sql`
      select * from notification_channels where id = any(${[...ids]}) order by id for no key update`);
    return rows.map((row) => this.entities.map(NotificationChannel, row));
  }

  /** Returns the accounts' channels that receive events. Locks them against deletion until the unit of work ends. */
  async findReceivers(accountIds: readonly string[]): Promise<NotificationChannel[]> {
    const rows = await this.statements.run<object>(sql`
      select * from notification_channels where account_id = any(${[...accountIds]}) and (active or reason = 'mail_not_configured')
      order by id for key share`);
    return rows.map((row) => this.entities.map(NotificationChannel, row));
  }

  /** Until the unit of work ends, no other request can add a channel to the account. */
  async findLockedByMailbox({ accountId, mailbox }: Recipient): Promise<NotificationChannel[]> {
    await this.lockAndCount(accountId);
    const rows = await this.statements.run<{ id: string; address: string }>(sql`
      select id, canonical_target as address from notification_channels
      where account_id = ${accountId} and type = 'email'`);
    return this.findAllLocked(rows.filter(({ address }) => mailboxKey(address) === mailbox).map(({ id }) => id));
  }

  async findIdsWithoutRelay(limit: number): Promise<string[]> {
    const rows = await this.statements.run<{ id: string }>(WITHOUT_RELAY, [limit]);
    return rows.map(({ id }) => id);
  }
}
