import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import type { Recipient } from '../domain/mailbox.js';

/** Stores which mailboxes unsubscribed from which accounts. Must run inside a unit of work. */
@Injectable()
export class MailSuppressionRepository {
  constructor(private readonly sqlClient: SqlClient) {}

  /**
   * Stores that a mailbox unsubscribed. Until the mailbox confirms again, the account sends only confirmation mails
   * there.
   * @returns false if the mailbox had unsubscribed before, or the account was deleted
   */
  async add({ accountId, mailbox }: Recipient, now: Date): Promise<boolean> {
    const rows = await this.sqlClient.run(sql`
      insert into mail_suppressions (account_id, mailbox, created_at)
      select id, ${mailbox}, ${now} from accounts where id = ${accountId}
      on conflict do nothing returning 1`);
    return rows.length > 0;
  }

  async has({ accountId, mailbox }: Recipient): Promise<boolean> {
    const rows = await this.sqlClient.run(sql`
      select 1 from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`);
    return rows.length > 0;
  }

  async remove({ accountId, mailbox }: Recipient): Promise<void> {
    await this.sqlClient.run(sql`
      delete from mail_suppressions
      where account_id = ${accountId} and mailbox = ${mailbox}`);
  }
}
