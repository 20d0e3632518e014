import { Injectable } from '@nestjs/common';
import type { EntryStatus } from '../../domains/language.js';
import type { ExpectedRecord, Renewal, Intent } from '../domain/entry-settings.js';
import { Visibility } from '../domain/visibility.js';
import { type SqlStatement, SqlClient } from '../../platform/database/sql-client.js';
import { type VisibleColumns, visibleColumns } from '../entries/visible-columns.sql.js';

/** An exported entry: all that an import accepts, and its current state. */
export interface ExportedEntry {
  readonly domain: string;
  readonly interval_minutes: number;
  readonly expiring_window_days: number;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
  /** null until an answer of the registry was confirmed. */
  readonly status: EntryStatus | null;
  readonly expires_at: Date | null;
  readonly last_checked_at: Date | null;
  /** null: the default ones. */
  readonly remind_days: readonly number[] | null;
  readonly renewal: Renewal | null;
  readonly expected: ExpectedRecord | null;
}

/**
 * Keyset pagination over the unique key on account and name. `offset 0` keeps the planner from merging the entries with
 * all names in their order: it would read each page's names from the first one of the table on, the longer the later.
 */
const selectFollowing = ({ expiresAt, lastCheckedAt }: VisibleColumns) => ({
  name: 'export_following',
  text: `select e.domain, e.interval_minutes, e.expiring_window_days, e.tags, e.note, e.intent,
           case when e.has_confirmed_facts then e.status end as status, ${expiresAt} as expires_at, ${lastCheckedAt} as last_checked_at,
           e.remind_days::json as remind_days, e.renewal::json as renewal, e.expected::json as expected
         from watch_entries e
           cross join lateral (select * from watched_names where domain = e.domain offset 0) as n
         where e.account_id = $1 and e.domain > $2 order by e.domain limit $3`,
});

/** Reads an account's watchlist by name, in pieces. */
@Injectable()
export class WatchlistExportReader {
  private readonly followingStatement: SqlStatement;

  constructor(
    private readonly statements: SqlClient,
    visibility: Visibility,
  ) {
    this.followingStatement = selectFollowing(visibleColumns(visibility));
  }

  /** The entries after this name; one statement, whose cost does not depend on the position. */
  findAfter(accountId: string, domain: string, limit: number): Promise<ExportedEntry[]> {
    return this.statements.run<ExportedEntry>(this.followingStatement, [accountId, domain, limit]);
  }
}
