import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { after, isFromFuture } from '../../kernel/clock.js';

/** Mails of one kind until a time. */
export interface MailCount {
  readonly key: string;
  readonly endsAt: Date;
  readonly mails: number;
}

/** How many mails of a limit went out in the current window. Runs inside a unit of work. */
@Injectable()
export class MailCountRepository {
  constructor(private readonly entities: EntityManager) {}

  /** The upsert creates a row to lock. */
  async lock(key: string, now: Date, lengthMs: number): Promise<MailCount> {
    const next = { key, endsAt: after(now, lengthMs), mails: 0 };
    const { rows } = await sql<{ endsAt: string; used: { mails?: number } }>`
      insert into message_quotas as quota (key, ends_at, used, digests) values (${key}, ${next.endsAt}, '{}', '{}')
      on conflict (key) do update set key = quota.key
      returning ends_at as "endsAt", used`.execute(this.entities.getKysely());
    const [row] = rows;
    if (!row) throw new Error('an upsert gave no row');
    const endsAt = new Date(row.endsAt);
    const isOver = now >= endsAt || isFromFuture(endsAt, next.endsAt); // or the clock was put back
    return isOver ? next : { key, endsAt, mails: row.used.mails ?? 0 };
  }

  async add({ key, endsAt, mails }: MailCount): Promise<void> {
    await sql`
      update message_quotas set ends_at = ${endsAt}, used = ${JSON.stringify({ mails: mails + 1 })}::jsonb
      where key = ${key}`.execute(this.entities.getKysely());
  }
}
