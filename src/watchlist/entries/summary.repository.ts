import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type Need, NEED_NAMES, toFilters } from '../domain/needs.js';
import { toConditions } from './entry-filters.sql.js';

/** Something that entries have in common, and how many have it. */
interface Counted {
  readonly name: string;
  readonly entries: number;
}

interface TagRequest {
  readonly accountId: string;
  /** Is contained in the tag, whatever its case; null: all tags. */
  readonly search: string | null;
  /** 1-based. */
  readonly page: number;
  readonly perPage: number;
}

/** The tags stand behind the text that is searched, which an index has unless it is long. */
const TAGS = {
  name: 'tags_of_account',
  text: `with tags as (
           select unnest(string_to_array(btrim(substr(searched_text, strpos(searched_text, e'\\x1f')), e'\\x1f'), e'\\x1f')) as tag
           from watch_entries where account_id = $1 and strpos(searched_text, e'\\x1f') > 0
           union all
           select unnest(tags) from watch_entries where account_id = $1 and has_long_text),
         used as (
           select tag as name, count(*)::int as entries from tags
           where $2::text is null or strpos(lower(tag), lower($2)) > 0 group by tag),
         page as (select * from used order by entries desc, name limit $3 offset $4)
         select (select count(*)::int from used) as total,
           (select coalesce(json_agg(page order by entries desc, name), '[]') from page) as rows`,
};

const TLDS = {
  name: 'tlds_of_account',
  text: `select split_part(e.domain, '.', -1) as name, count(*)::int as entries from watch_entries e
         where e.account_id = $1 group by 1`,
};

/** Counts the entries of an account; one statement each. */
@Injectable()
export class SummaryReader {
  constructor(private readonly statements: SqlClient) {}

  /** The same numbers as the lists with these filters have. */
  async countNeeds(accountId: string, now: Date): Promise<Readonly<Record<Need, number>>> {
    const values: unknown[] = [accountId];
    const counts = NEED_NAMES.map((need) => {
      const { where } = toConditions({ accountId, ...toFilters(need, now) }, values);
      return `(select count(*)::int from watch_entries e where ${where}) as ${need}`;
    });
    const statement = { name: '', text: `select ${counts.join(', ')}` };
    const [row] = await this.statements.run<Record<Need, number>>(statement, values);
    if (!row) throw new Error('a count has a row');
    return row;
  }

  /** The most frequent first. */
  async findTags({ accountId, search, page, perPage }: TagRequest): Promise<{ rows: Counted[]; total: number }> {
    const values = [accountId, search, perPage, (page - 1) * perPage];
    const [found] = await this.statements.run<{ rows: Counted[]; total: number }>(TAGS, values);
    return found ?? { rows: [], total: 0 };
  }

  /** The top-level domains, in no order. */
  countByTld(accountId: string): Promise<Counted[]> {
    return this.statements.run<Counted>(TLDS, [accountId]);
  }
}
