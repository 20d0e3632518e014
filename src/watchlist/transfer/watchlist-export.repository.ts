import { Injectable } from '@nestjs/common';
import type { EntryStatus } from '../../domains/language.js';
import { type SettingFields, toSettingFields } from '../domain/entry-settings.js';
import { entrySettingColumns } from '../mappings.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { type EntryConditions, toConditions } from '../entries/entry-filters.sql.js';
import { VISIBLE } from '../entries/visible-columns.sql.js';

/** An exported entry: everything that an import accepts, and the current state. */
export interface ExportedEntry extends Omit<SettingFields, 'paused'> {
  readonly domain: string;
  /** null until an answer of the registry was confirmed. */
  readonly status: EntryStatus | null;
  readonly expires_at: Date | null;
  readonly last_checked_at: Date | null;
}

/** `offset 0` prevents a merge join, with which each page would read the table of names from its start. */
const selectFollowing = ({ where, values, name }: EntryConditions) => ({
  name: name === null ? '' : `export_following${name}`,
  text: `select e.domain, ${entrySettingColumns.list('e.?')}, case when e.has_confirmed_facts then e.status end as status,
           ${VISIBLE.expiresAt} as expires_at, ${VISIBLE.lastCheckedAt} as last_checked_at
         from watch_entries e
           cross join lateral (select * from watched_names where domain = e.domain offset 0) as n
         where ${where} and e.domain > $${values.length + 1} order by e.domain limit $${values.length + 2}`,
});

type ExportedRow = Pick<ExportedEntry, 'domain' | 'status' | 'expires_at' | 'last_checked_at'> &
  Record<string, unknown>;

@Injectable()
export class WatchlistExportReader {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the entries after this name. Runs one statement, whose cost does not depend on the position. */
  async findAfter(filters: EntryFilters, domain: string, limit: number): Promise<ExportedEntry[]> {
    const conditions = toConditions(filters);
    const statement = selectFollowing(conditions);
    const rows = await this.statements.run<ExportedRow>(statement, [...conditions.values, domain, limit]);
    return rows.map((row) => {
      const { domain, status, expires_at, last_checked_at } = row;
      const settings = toSettingFields(entrySettingColumns.toFields(row));
      return { domain, ...settings, status, expires_at, last_checked_at };
    });
  }
}
