import { Injectable } from '@nestjs/common';
import { ENTRY_STATUSES, type EntryStatus } from '../../domains/language.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type Need, NEED_NAMES } from '../domain/needs.js';
import { comingMonths, monthSpan } from '../domain/months.js';
import { toNeedCondition } from './entry-filters.sql.js';

interface Counted {
  readonly name: string;
  readonly entries: number;
}

interface CountedTld extends Counted {
  readonly failing: number;
}

interface TagRequest {
  readonly accountId: string;
  /** Part of a tag, in upper or lower case; null means all tags. */
  readonly search: string | null;
  /** Counted from 1. */
  readonly page: number;
  readonly perPage: number;
}

/**
 * Reads the tags from the indexed `searched_text`. Counts equal tag lists before splitting them, because most entries
 * share a few lists.
 */
const TAGS = {
  name: 'tags_of_account',
  text: `with sets as (
           select substr(searched_text, strpos(searched_text, e'\\x1f')) as tags, count(*) as uses
           from watch_entries where account_id = $1 and strpos(searched_text, e'\\x1f') > 0 group by 1),
         tags as (
           select unnest(string_to_array(btrim(tags, e'\\x1f'), e'\\x1f')) as tag, uses from sets
           union all
           select unnest(tags), 1 from watch_entries where account_id = $1 and long_text is not null),
         used as (
           select tag as name, sum(uses)::int as entries from tags
           where $2::text is null or strpos(lower(tag), lower($2)) > 0 group by tag),
         page as (select * from used order by entries desc, name limit $3 offset $4)
         select (select count(*)::int from used) as total,
           (select coalesce(json_agg(page order by entries desc, name), '[]') from page) as rows`,
};

const TLDS = {
  name: 'tlds_of_account',
  text: `select split_part(e.domain, '.', -1) as name, count(*)::int as entries,
           (count(*) filter (where e.failing and not e.paused))::int as failing
         from watch_entries e where e.account_id = $1 group by 1`,
};

interface MonthCount {
  readonly month: string;
  readonly own: number;
  readonly other: number;
}

/** One index contains all columns of this query, so the table is not read. */
const EXPIRIES = {
  name: 'expiries_of_account',
  text: `select to_char(month, 'YYYY-MM') as month, own, other from (
           select date_trunc('month', e.expires_at at time zone 'UTC') as month,
             (count(*) filter (where e.purpose = 'own'))::int as own,
             (count(*) filter (where e.purpose <> 'own'))::int as other
           from watch_entries e where e.account_id = $1 and not e.paused and e.expires_at between $2 and $3
           group by 1) as months`,
};

const STATUSES = {
  name: 'statuses_of_account',
  text: `select e.status as name, count(*)::int as entries from watch_entries e where e.account_id = $1 group by 1`,
};

@Injectable()
export class SummaryReader {
  constructor(private readonly statements: SqlClient) {}

  /** Counts with the same conditions as the list filters, so that the numbers agree. */
  async countNeeds(accountId: string, now: Date): Promise<Readonly<Record<Need, number>>> {
    const values: unknown[] = [accountId];
    const counts = NEED_NAMES.map(
      (need) => `(select count(*)::int from watch_entries e where ${toNeedCondition(need, now, values)}) as ${need}`,
    );
    const statement = { name: '', text: `select ${counts.join(', ')}` };
    const [row] = await this.statements.run<Record<Need, number>>(statement, values);
    if (!row) throw new Error('a count has a row');
    return row;
  }

  /** Counts the expiries of this month and of the next eleven, with 0 for a month without expiries. */
  async countExpiries(accountId: string, now: Date): Promise<readonly MonthCount[]> {
    const months = comingMonths(now);
    const [from, to] = [monthSpan(months[0] ?? ''), monthSpan(months.at(-1) ?? '')];
    const rows = await this.statements.run<MonthCount>(EXPIRIES, [accountId, from[0], to[1]]);
    return months.map((month) => rows.find((row) => row.month === month) ?? { month, own: 0, other: 0 });
  }

  /** Counts the entries of each status, with 0 for a status that no entry has. */
  async countByStatus(accountId: string): Promise<Readonly<Record<EntryStatus, number>>> {
    const rows = await this.statements.run<Counted>(STATUSES, [accountId]);
    const none = ENTRY_STATUSES.map((status) => [status, 0]);
    return Object.fromEntries([...none, ...rows.map(({ name, entries }) => [name, entries])]) as Record<
      EntryStatus,
      number
    >;
  }

  async findTags({ accountId, search, page, perPage }: TagRequest): Promise<{ rows: Counted[]; total: number }> {
    const values = [accountId, search, perPage, (page - 1) * perPage];
    const [found] = await this.statements.run<{ rows: Counted[]; total: number }>(TAGS, values);
    return found ?? { rows: [], total: 0 };
  }

  countByTld(accountId: string): Promise<CountedTld[]> {
    return this.statements.run<CountedTld>(TLDS, [accountId]);
  }
}
