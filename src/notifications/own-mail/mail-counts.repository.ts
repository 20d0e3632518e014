import { Injectable } from '@nestjs/common';
import { after, isFromFuture } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';

/** Mails of one kind until a time. */
export interface MailCount {
  readonly key: string;
  readonly endsAt: Date;
  readonly mails: number;
}

/** How many mails of a limit went out in the current window. Runs inside a unit of work. */
@Injectable()
export class MailCountRepository {
  constructor(private readonly statements: SqlClient) {}

  /** The upsert creates a row to lock. */
  async lock(key: string, now: Date, lengthMs: number): Promise<MailCount> {
    const next = { key, endsAt: after(now, lengthMs), mails: 0 };
    const rows = await this.statements.run<{ endsAt: Date; used: { mails?: number } }>(sql`
      insert into message_quotas as quota (key, ends_at, used, digests) values (${key}, ${next.endsAt}, '{}', '{}')
      on conflict (key) do update set key = quota.key
      returning ends_at as "endsAt", used`);
    const [row] = rows;
    if (!row) throw new Error('an upsert gave no row');
    const { endsAt } = row;
    const isOver = now >= endsAt || isFromFuture(endsAt, next.endsAt); // or the clock was put back
    return isOver ? next : { key, endsAt, mails: row.used.mails ?? 0 };
  }

  /** Counts one more, and forgets windows that are over. */
  async add({ key, endsAt, mails }: MailCount): Promise<void> {
    await this.statements.run(sql`
      with forgotten as (
        delete from message_quotas where key = any(array(
          select key from message_quotas where ends_at < ${endsAt}::timestamptz - interval '2 days' and key <> ${key}
          limit 100 for update skip locked)))
      update message_quotas set ends_at = ${endsAt}::timestamptz, used = ${JSON.stringify({ mails: mails + 1 })}::jsonb
      where key = ${key}`);
  }
}
