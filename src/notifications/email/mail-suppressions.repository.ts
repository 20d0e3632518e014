import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Recipient } from '../domain/address-confirmation.js';

/**
 * Mailboxes that unsubscribed from an account. They outlive its channels: only confirmation mails are sent there until
 * the mailbox confirms again. Runs inside a unit of work.
 */
@Injectable()
export class MailSuppressionRepository {
  constructor(private readonly entities: EntityManager) {}

  /** The account of an old link may be deleted. */
  async add({ accountId, mailbox }: Recipient, now: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into mail_suppressions (account_id, mailbox, created_at)
      select id, ${mailbox}, ${now} from accounts where id = ${accountId}
      on conflict do nothing returning 1`.execute(this.entities.getKysely());
    return rows.length > 0;
  }

  async has({ accountId, mailbox }: Recipient): Promise<boolean> {
    const { rows } = await sql`
      select 1 from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`.execute(this.entities.getKysely());
    return rows.length > 0;
  }

  async remove({ accountId, mailbox }: Recipient): Promise<void> {
    await sql`
      delete from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`.execute(this.entities.getKysely());
  }
}
