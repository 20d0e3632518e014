import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { ClientName } from '../domain/client-page.js';
import { comingMonths, monthSpan } from '../domain/months.js';
import { toConditions } from '../entries/entry-filters.sql.js';

/** How many names the page lists at most, because nobody reads a longer page. The total counts all names. */
const MAX_PAGE_NAMES = 1_000;

interface MonthOfNames {
  /** A month such as `2026-12`, in UTC. */
  readonly month: string;
  readonly names: number;
}

interface NamesOfTags {
  readonly names: readonly ClientName[];
  /** How many names have the tags, including those that are not listed. */
  readonly total: number;
  /** The number of expiries in this month and in each of the next eleven months. */
  readonly months: readonly MonthOfNames[];
}

/** Finds the names with certain tags for a web page that an account gives to its client. */
@Injectable()
export class ClientPageNames {
  constructor(private readonly statements: SqlClient) {}

  async find(accountId: string, tags: readonly string[], now: Date): Promise<NamesOfTags> {
    const { where, values } = toConditions({ accountId, tags });
    const months = comingMonths(now);
    const [from, to] = [monthSpan(months[0] ?? '')[0], monthSpan(months.at(-1) ?? '')[1]];
    const counting = { name: '', text: countText(where, values.length) };
    const counted = this.statements.run<{ month: string | null; names: number }>(counting, [...values, from, to]);
    const listed = this.statements.run<ClientName>({ name: '', text: listText(where) }, values);
    const [counts, names] = await Promise.all([counted, listed]);
    const countOf = (month: string) => counts.find((one) => one.month === month)?.names ?? 0;
    return {
      names,
      total: counts.reduce((sum, one) => sum + one.names, 0),
      months: months.map((month) => ({ month, names: countOf(month) })),
    };
  }
}

/**
 * @param before the number of SQL parameters in `where`. The next two parameters are the first and last expiry to
 * count.
 */
function countText(where: string, before: number): string {
  return `select case when not e.paused and e.expires_at between $${before + 1} and $${before + 2}
      then to_char(e.expires_at at time zone 'UTC', 'YYYY-MM') end as month, count(*)::int as names
    from watch_entries e where ${where} group by 1`;
}

function listText(where: string): string {
  return `select e.domain, e.status, e.phase, e.purpose, e.paused, e.failing, e.answered, e.drifted as drift,
      e.expires_at as "expiresAt", e.renewal::jsonb ->> 'on' as "renewalOn"
    from watch_entries e where ${where} order by e.expires_at nulls last, e.domain limit ${MAX_PAGE_NAMES}`;
}
