import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../../platform/database/sql-client.js';
import { type QuotaWindow, QuotaWindowRepository, newQuotaWindow } from '../../domain/digests/quota-window.js';

/** A window that is renewed concurrently is checked again under its lock, and stays. */
const PURGE = { name: 'mail_hours_forget', text: `delete from mail_hours where ends_at <= $1` };

@Injectable()
export class PostgresQuotaWindowRepository extends QuotaWindowRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {
    super();
  }

  /** The upsert creates a row to lock. */
  async lock(key: string, now: Date, lengthMs: number): Promise<QuotaWindow> {
    const next = newQuotaWindow(key, now, lengthMs);
    const { rows } = await sql<Omit<QuotaWindow, 'endsAt'> & { endsAt: string }>`
      insert into mail_hours as quota (mailbox, ends_at, mails, digests) values (${key}, ${next.endsAt}, 0, '{}')
      on conflict (mailbox) do update set mails = quota.mails
      returning mailbox as key, ends_at as "endsAt", mails as messages, digests`.execute(this.entities.getKysely());
    const [row] = rows;
    if (!row) throw new Error('an upsert gave no row');
    const window = { ...row, endsAt: new Date(row.endsAt) };
    return now < window.endsAt ? window : next;
  }

  async save({ key, endsAt, messages, digests }: QuotaWindow): Promise<void> {
    await sql`
      update mail_hours set ends_at = ${endsAt}, mails = ${messages}, digests = ${JSON.stringify(digests)}::jsonb
      where mailbox = ${key}`.execute(this.entities.getKysely());
  }

  async purge(now: Date): Promise<void> {
    await this.statements.run(PURGE, [now]);
  }
}
