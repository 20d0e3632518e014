import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { NEED_NAMES, toNeedCondition } from '../../watchlist/language.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { SummaryGroups } from '../domain/summary.js';

/** The most names that a group of a summary lists, because a chat message has no room for more. */
const MAX_LISTED = 20;

const EXPIRY = `coalesce(e.expires_at, (e.renewal::jsonb ->> 'on')::date)`;
const RENEWAL_IS_NEAR = `e.expires_at is null and ${EXPIRY} between $3 and $3::timestamptz + interval '30 days'`;
const group = (kind: keyof SummaryGroups, condition: string) =>
  `json_build_object('count', count(*) filter (where ${condition}), 'domains', coalesce(
    (array_agg(e.domain order by ${EXPIRY}, e.domain) filter (where ${condition}))[1:${MAX_LISTED}], '{}')) as "${kind}"`;
const DUE = {
  name: 'summaries_due',
  text: `select c.id, c.account_id as "accountId", c.tags from notification_channels c join accounts a on a.id = c.account_id
         where c.next_summary_at <= $1 and a.suspended_at is null and c.id <> all($3::text[])
         order by c.next_summary_at limit $2`,
};

export interface WatchlistSummary extends SummaryGroups {
  readonly names: number;
}

export type DueSummary = Pick<NotificationChannel, 'id' | 'accountId' | 'tags'>;

@Injectable()
export class SummaryRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the channels whose summary is due, except channels of suspended accounts and channels in `failed`. */
  findDue(now: Date, limit: number, failed: readonly string[]): Promise<DueSummary[]> {
    return this.statements.run<DueSummary>(DUE, [now, limit, failed]);
  }

  /**
   * Counts and lists the account's names by group. If the channel filters by tags, only names with one of these tags
   * count.
   */
  async read({ accountId, tags }: DueSummary, now: Date): Promise<WatchlistSummary> {
    const values: unknown[] = [accountId, tags, now];
    const groups = NEED_NAMES.map((need) => group(need, toNeedCondition(need, now, values)));
    const text = `select count(*)::int as names, ${[...groups, group('renewals', RENEWAL_IS_NEAR)].join(', ')}
      from watch_entries e
      where e.account_id = $1 and not e.paused and (cardinality($2::text[]) = 0 or e.tags && $2::text[])`;
    const [found] = await this.statements.run<WatchlistSummary>({ name: '', text }, values);
    if (!found) throw new Error('an aggregate has one row');
    return found;
  }
}
