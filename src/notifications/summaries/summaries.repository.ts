import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SUMMARY_DAYS, SUMMARY_GROUPS, type SummaryGroups } from '../domain/summary.js';

/** A text of a message, or a chat, holds no more. */
const MAX_LISTED = 20;

/** A name that is wanted is another's: its expiry matters to nobody here. */
const IS_KEPT = `e.purpose <> 'acquire'`;
const EXPIRY = `coalesce(e.expires_at, (e.renewal::jsonb ->> 'on')::date)`;
const CONDITIONS: Readonly<Record<keyof SummaryGroups, string>> = {
  deleting: `e.phase in ('redemption', 'pending_restore', 'pending_delete')`,
  grace: `e.phase = 'expired_grace' and ${IS_KEPT}`,
  expiring: `e.phase in ('registered', 'expiring', 'hold') and ${IS_KEPT}
    and ${EXPIRY} >= $3 and ${EXPIRY} < $3::timestamptz + make_interval(days => ${SUMMARY_DAYS})`,
  failing: 'e.failing',
  available: `e.phase = 'available' and e.purpose <> 'monitor'`,
};
const group = (kind: keyof SummaryGroups) => {
  const condition = CONDITIONS[kind];
  return `json_build_object('count', count(*) filter (where ${condition}), 'domains', coalesce(
    (array_agg(e.domain order by ${EXPIRY}, e.domain) filter (where ${condition}))[1:${MAX_LISTED}], '{}')) as "${kind}"`;
};
/** What no registry has answered yet has the status that every entry starts with, and may be failing. */
const SUMMARY = {
  name: 'summary_of_account',
  text: `select count(*)::int as names, ${SUMMARY_GROUPS.map(group).join(', ')}
         from watch_entries e
         where e.account_id = $1 and not e.paused and (cardinality($2::text[]) = 0 or e.tags && $2::text[])`,
};
const DUE = {
  name: 'summaries_due',
  text: `select c.id, c.account_id as "accountId", c.tags from notification_channels c join accounts a on a.id = c.account_id
         where c.next_summary_at <= $1 and a.suspended_at is null and c.id <> all($3::text[])
         order by c.next_summary_at limit $2`,
};

export interface WatchlistSummary extends SummaryGroups {
  readonly names: number;
}

/** A channel whose summary is due. */
export type DueSummary = Pick<NotificationChannel, 'id' | 'accountId' | 'tags'>;

@Injectable()
export class SummaryRepository {
  constructor(private readonly statements: SqlClient) {}

  /** The channels whose summary is due, of accounts that are not suspended, without those that failed before. */
  findDue(now: Date, limit: number, failed: readonly string[]): Promise<DueSummary[]> {
    return this.statements.run<DueSummary>(DUE, [now, limit, failed]);
  }

  /** Counts the entries that the channel takes events of. */
  async read({ accountId, tags }: DueSummary, now: Date): Promise<WatchlistSummary> {
    const [found] = await this.statements.run<WatchlistSummary>(SUMMARY, [accountId, tags, now]);
    if (!found) throw new Error('an aggregate has one row');
    return found;
  }
}
