import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { type ExportedEntry, WatchlistExport } from '../domain/watchlist-export.js';

/** In the order of the unique key on account and name. */
const FOLLOWING = {
  name: 'export_following',
  text: `select e.domain, e.interval_minutes, e.expiring_window_days, e.tags, e.note, e.intent, e.status,
           (n.facts::jsonb ->> 'expiresAt')::timestamptz as expires_at, n.last_checked_at
         from watch_entries e join watched_names n on n.domain = e.domain
         where e.account_id = $1 and e.domain > $2 order by e.domain limit $3`,
};

@Injectable()
export class SqlWatchlistExport extends WatchlistExport {
  constructor(private readonly statements: Statements) {
    super();
  }

  following(accountId: string, domain: string, limit: number): Promise<ExportedEntry[]> {
    return this.statements.run<ExportedEntry>(FOLLOWING, [accountId, domain, limit]);
  }
}
