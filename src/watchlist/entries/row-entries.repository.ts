import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import type { KnownEntry } from '../domain/row.js';
import type { WatchedName } from '../domain/watched-name.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { entrySettingColumns, watchedNameColumns, watchEntryColumns } from '../mappings.js';

const NEW_NAME = watchedNameColumns.pick('domain', 'operator', 'intervalMinutes', 'nextCheckAt');

const BY_DOMAINS = {
  name: 'entries_of_rows',
  text: `select id, domain, ${entrySettingColumns.list()} from watch_entries
         where account_id = $1 and domain = any($2::text[])`,
};
const COUNT = { name: 'entries_of_account', text: 'select entries from entry_counts where account_id = $1' };

/** Reads and writes the entries of many rows, mostly inside a unit of work. Each method runs one statement. */
@Injectable()
export class RowEntryRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the account's entries by A-label. Runs outside of any transaction. */
  async findByDomains(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, KnownEntry>> {
    type Row = { readonly id: string; readonly domain: string; readonly [column: string]: unknown };
    const rows = await this.statements.run<Row>(BY_DOMAINS, [accountId, domains]);
    return new Map(rows.map((row) => [row.domain, { id: row.id, settings: entrySettingColumns.toFields(row) }]));
  }

  /** Runs outside of any transaction. */
  async count(accountId: string): Promise<number> {
    const [row] = await this.statements.run<{ entries: number }>(COUNT, [accountId]);
    return row?.entries ?? 0;
  }

  async findPresent(accountId: string, domains: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.statements.run<{ domain: string }>(sql`
      select domain from watch_entries
      where account_id = ${accountId} and domain = any(${[...domains]}::text[])`);
    return new Set(found.map(({ domain }) => domain));
  }

  /**
   * Inserts names that are not stored yet. Waits if another transaction inserts the same name. All transactions insert
   * in the same order, so they cannot deadlock. Call before any name is locked.
   * @returns the inserted names
   */
  async insertNames(names: readonly WatchedName[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const rows = names.map((name) => NEW_NAME.toRow(name));
    const columns = sqlText(NEW_NAME.list());
    const inserted = await this.statements.run<{ domain: string }>(sql`
      insert into watched_names (${columns})
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as started(${sqlText(NEW_NAME.definitions)})
      order by domain
      on conflict (domain) do nothing returning domain`);
    return new Set(inserted.map(({ domain }) => domain));
  }

  /** Inserts and counts new entries, which have no events yet. Bypasses the ORM, which takes five times as long. */
  async insertWithoutEvents(entries: readonly WatchEntry[]): Promise<void> {
    if (entries.length === 0) return;
    if (entries.some((entry) => entry.releaseEvents().length > 0)) throw new Error('an entry has pending events');
    const rows = entries.map((entry) => watchEntryColumns.toRow(entry));
    const columns = sqlText(watchEntryColumns.list());
    await this.statements.run(sql`
      with added as (
        insert into watch_entries (${columns})
        select ${columns} from jsonb_populate_recordset(null::watch_entries, ${JSON.stringify(rows)}::jsonb)
        returning account_id)
      insert into entry_counts as c (account_id, entries)
      select account_id, count(*) from added group by account_id
      on conflict (account_id) do update set entries = c.entries + excluded.entries`);
  }
}
