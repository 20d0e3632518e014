import { Injectable } from '@nestjs/common';
import { IsolationConfig } from '../../config/sections.js';
import { type SqlStatement, SqlClient } from '../../platform/database/sql-client.js';
import { type VisibleColumns, visibleColumns } from '../entries/visible-columns.sql.js';
import { type ExportedEntry, WatchlistExportReader } from './watchlist-export-reader.js';

/**
 * Keyset pagination over the unique key on account and name. `offset 0` keeps the planner from merging the entries with
 * all names in their order: it would read each page's names from the first one of the table on, the longer the later.
 */
const selectFollowing = ({ expiresAt, lastCheckedAt }: VisibleColumns) => ({
  name: 'export_following',
  text: `select e.domain, e.interval_minutes, e.expiring_window_days, e.tags, e.note, e.intent,
           case when e.proven then e.status end as status, ${expiresAt} as expires_at, ${lastCheckedAt} as last_checked_at,
           e.remind_days::json as remind_days, e.renewal::json as renewal, e.expected::json as expected
         from watch_entries e
           cross join lateral (select * from watched_names where domain = e.domain offset 0) as n
         where e.account_id = $1 and e.domain > $2 order by e.domain limit $3`,
});

@Injectable()
export class PostgresWatchlistExportReader extends WatchlistExportReader {
  private readonly followingStatement: SqlStatement;

  constructor(
    private readonly statements: SqlClient,
    { accountIsolation }: IsolationConfig,
  ) {
    super();
    this.followingStatement = selectFollowing(visibleColumns(accountIsolation));
  }

  findAfter(accountId: string, domain: string, limit: number): Promise<ExportedEntry[]> {
    return this.statements.run<ExportedEntry>(this.followingStatement, [accountId, domain, limit]);
  }
}
