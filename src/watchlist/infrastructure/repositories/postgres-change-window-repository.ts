import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../../platform/database/sql-client.js';
import {
  type ChangeWindowId,
  ChangeWindowRepository,
  type StoredChangeWindow,
} from '../../domain/policies/change-window-repository.js';

const PURGE = { name: 'change_windows_purge', text: 'delete from record_change_windows where started_at < $1' };

/** The unit of work's connection returns timestamps as text. */
type WindowRow = Omit<StoredChangeWindow, 'startedAt'> & { readonly startedAt: string };

@Injectable()
export class PostgresChangeWindowRepository extends ChangeWindowRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {
    super();
  }

  /** Locks in one order, so that the changes of two names with the same watchers cannot block each other. */
  async findForUpdate(ids: readonly ChangeWindowId[], now: Date): Promise<StoredChangeWindow[]> {
    const { rows } = await sql<WindowRow>`
      insert into record_change_windows (account_id, key, started_at, changes, is_mass)
      select g."accountId", g.key, ${now}::timestamptz, 0, false
      from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as g("accountId" text, key text)
      order by 1, 2
      on conflict (account_id, key) do update set key = excluded.key
      returning account_id as "accountId", key, started_at as "startedAt", changes,
        is_mass as "isMass"`.execute(this.entities.getKysely());
    return rows.map((row) => ({ ...row, startedAt: new Date(row.startedAt) }));
  }

  async save(windows: readonly StoredChangeWindow[]): Promise<void> {
    await sql`
      update record_change_windows w set started_at = g."startedAt", changes = g.changes, is_mass = g."isMass"
      from jsonb_to_recordset(${JSON.stringify(windows)}::jsonb)
        as g("accountId" text, key text, "startedAt" timestamptz, changes integer, "isMass" boolean)
      where w.account_id = g."accountId" and w.key = g.key`.execute(this.entities.getKysely());
  }

  async purge(startedBefore: Date): Promise<void> {
    await this.statements.run(PURGE, [startedBefore]);
  }
}
