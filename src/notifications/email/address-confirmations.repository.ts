import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import {
  type RecentConfirmations,
  AddressConfirmation,
  COUNTED_CONFIRMATIONS,
  type Recipient,
} from '../domain/address-confirmation.js';
import type { Claim } from '../domain/claim.js';

/** $1 now, $2 limit, $3 lease in seconds */
const CLAIM_DUE = {
  name: 'address_confirmations_claim_due',
  text: `
    with due as (
      select c.id from address_confirmations c join accounts a on a.id = c.account_id
      where c.next_attempt_at <= $1 and (c.lease_token is null or c.lease_until <= now()) and a.suspended_at is null
      order by c.next_attempt_at limit $2
      for update of c skip locked)
    update address_confirmations c
    set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $3)
    from due where c.id = due.id
    returning c.id, c.lease_token as token`,
};
const PURGE = { name: 'address_confirmations_purge', text: `delete from address_confirmations where created_at < $1` };

/**
 * What mailboxes were asked and what they decided. Runs inside a unit of work; `claimDue` and `purge` are statements of
 * their own.
 */
@Injectable()
export class AddressConfirmationRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  add(confirmation: AddressConfirmation): void {
    this.entities.persist(confirmation);
  }

  /** Lock order: account before mailbox. */
  async lockRecent({ mailbox, accountId }: Recipient, dayAgo: Date): Promise<RecentConfirmations> {
    for (const one of [`address_confirmations of ${accountId}`, `address_confirmations of ${mailbox}`])
      await this.statements.run(sql`select pg_advisory_xact_lock(hashtextextended(${one}, 0))`);
    const rows = await this.statements.run<{ mailboxInDay: number; byAccount: string[] }>(sql`
      select (select count(*)::int from address_confirmations
              where mailbox = ${mailbox} and created_at > ${dayAgo}) as "mailboxInDay",
        array(select to_json(created_at) #>> '{}' from address_confirmations where account_id = ${accountId}
              order by created_at desc limit ${COUNTED_CONFIRMATIONS}) as "byAccount"`);
    const [recent] = rows;
    if (!recent) throw new Error('a count came back empty');
    return { ...recent, byAccount: recent.byAccount.map((at) => new Date(at)) };
  }

  find(id: string): Promise<AddressConfirmation | null> {
    return this.entities.findOne(AddressConfirmation, { id });
  }

  /** The channel may be deleted by now. */
  async findChannelId(id: string): Promise<string | null> {
    const rows = await this.statements.run<{ channelId: string }>(sql`
      select channel_id as "channelId" from address_confirmations where id = ${id}`);
    return rows[0]?.channelId ?? null;
  }

  /** Invalidates all links of these locked channels. */
  async invalidateLinks(channelIds: readonly string[], now: Date): Promise<void> {
    await this.statements.run(sql`
      update address_confirmations set used_at = ${now}, next_attempt_at = null
      where channel_id = any(${[...channelIds]}) and used_at is null`);
  }

  /** Claims due confirmations, each under a lease. */
  claimDue(now: Date, limit: number): Promise<Claim[]> {
    return this.statements.run<Claim>(CLAIM_DUE, [now, limit, this.config.leaseSeconds]);
  }

  /** The confirmation, locked; null when the claim is no longer valid. */
  lockClaimed({ id, token }: Claim): Promise<AddressConfirmation | null> {
    return this.entities.findOne(
      AddressConfirmation,
      { id, leaseToken: token },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
  }

  async purge(before: Date): Promise<void> {
    await this.statements.run(PURGE, [before]);
  }

  /**
   * The mailbox unsubscribed from the account, which may be deleted by now. This outlives its channels: only confirmation
   * mails are sent there until the mailbox confirms again.
   * @returns false when it had unsubscribed before
   */
  async suppress({ accountId, mailbox }: Recipient, now: Date): Promise<boolean> {
    const rows = await this.statements.run(sql`
      insert into mail_suppressions (account_id, mailbox, created_at)
      select id, ${mailbox}, ${now} from accounts where id = ${accountId}
      on conflict do nothing returning 1`);
    return rows.length > 0;
  }

  async isSuppressed({ accountId, mailbox }: Recipient): Promise<boolean> {
    const rows = await this.statements.run(sql`
      select 1 from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`);
    return rows.length > 0;
  }

  async endSuppression({ accountId, mailbox }: Recipient): Promise<void> {
    await this.statements.run(sql`
      delete from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`);
  }
}
