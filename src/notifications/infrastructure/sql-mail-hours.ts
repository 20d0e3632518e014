import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Statements } from '../../platform/statements.js';
import { type MailHour, MailHours, newHour } from '../domain/mail-hour.js';

/** Whose hour begins anew at this moment is seen again when that is written, and stays. */
const FORGET = { name: 'mail_hours_forget', text: `delete from mail_hours where ends_at <= $1` };

@Injectable()
export class SqlMailHours extends MailHours {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: Statements,
  ) {
    super();
  }

  /** Written, so that it is there to be locked. */
  async locked(channelId: string, now: Date, length: number): Promise<MailHour> {
    const next = newHour(channelId, now, length);
    const { rows } = await sql<{ endsAt: string; mails: number; digestId: string | null }>`
      insert into mail_hours as hour (channel_id, ends_at, mails) values (${channelId}, ${next.endsAt}, 0)
      on conflict (channel_id) do update set mails = hour.mails
      returning ends_at as "endsAt", mails, digest_id as "digestId"`.execute(this.entities.getKysely());
    const [row] = rows;
    if (!row) throw new Error('an upsert gave no row');
    const hour = { ...row, channelId, endsAt: new Date(row.endsAt) };
    return now < hour.endsAt ? hour : next;
  }

  async save({ channelId, endsAt, mails, digestId }: MailHour): Promise<void> {
    await sql`
      update mail_hours set ends_at = ${endsAt}, mails = ${mails}, digest_id = ${digestId}
      where channel_id = ${channelId}`.execute(this.entities.getKysely());
  }

  async forget(now: Date): Promise<void> {
    await this.statements.run(FORGET, [now]);
  }
}
