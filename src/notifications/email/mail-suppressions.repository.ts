import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Recipient } from '../domain/email/address-confirmation.js';
import { MailSuppressionRepository } from './mail-suppression-repository.js';

@Injectable()
export class PostgresMailSuppressionRepository extends MailSuppressionRepository {
  constructor(private readonly entities: EntityManager) {
    super();
  }

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
