import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { isFromFuture } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type QuotaWindow, newQuotaWindow } from '../domain/message-quota.js';

/** A window that is renewed concurrently is checked again under its lock, and stays. */
const PURGE = { name: 'message_quotas_purge', text: `delete from message_quotas where ends_at <= $1` };

/** Runs inside a unit of work; `purge` is a statement of its own. */
@Injectable()
export class QuotaWindowRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** The upsert creates a row to lock. */
  async lock(key: string, now: Date, lengthMs: number): Promise<QuotaWindow> {
    const next = newQuotaWindow(key, now, lengthMs);
    const { rows } = await sql<Omit<QuotaWindow, 'endsAt'> & { endsAt: string }>`
      insert into message_quotas as quota (key, ends_at, used, digests)
      values (${key}, ${next.endsAt}, ${JSON.stringify(next.used)}::jsonb, '{}')
      on conflict (key) do update set key = quota.key
      returning key, ends_at as "endsAt", used, digests`.execute(this.entities.getKysely());
    const [row] = rows;
    if (!row) throw new Error('an upsert gave no row');
    const window = { ...row, endsAt: new Date(row.endsAt) };
    const isOver = now >= window.endsAt || isFromFuture(window.endsAt, next.endsAt); // or the clock was put back
    return isOver ? next : window;
  }

  async save({ key, endsAt, used, digests }: QuotaWindow): Promise<void> {
    await sql`
      update message_quotas set ends_at = ${endsAt}, used = ${JSON.stringify(used)}::jsonb,
        digests = ${JSON.stringify(digests)}::jsonb
      where key = ${key}`.execute(this.entities.getKysely());
  }

  /** Deletes windows that are over. */
  async purge(now: Date): Promise<void> {
    await this.statements.run(PURGE, [now]);
  }
}
