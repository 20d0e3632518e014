import { Injectable } from '@nestjs/common';
import type { EntrySettings } from '../domain/entry-settings.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** An entry as a file of the watchlist describes it. */
export interface TaggedEntry extends Pick<
  EntrySettings,
  'intervalMinutes' | 'expiringWindowDays' | 'tags' | 'note' | 'intent' | 'remindDays' | 'renewal' | 'expected'
> {
  readonly id: string;
  readonly domain: string;
}

const BY_DOMAINS = {
  name: 'tagged_entries_by_domains',
  text: `select id, domain, interval_minutes as "intervalMinutes", expiring_window_days as "expiringWindowDays", tags,
           note, intent, remind_days::json as "remindDays", renewal::json as renewal,
           expected::json as expected
         from watch_entries where account_id = $1 and domain = any($2::text[])`,
};

const TAGGED = {
  name: 'tagged_entries',
  text: `select id, domain from watch_entries
         where account_id = $1 and tags @> array[$2]::text[] and domain > $3 order by domain limit $4`,
};

/** Reads an account's entries to compare them with a file; one statement each, outside any transaction. */
@Injectable()
export class TaggedEntryReader {
  constructor(private readonly statements: SqlClient) {}

  /** The entries for these A-labels, by name, whatever their tags. */
  async findByDomains(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, TaggedEntry>> {
    const entries = await this.statements.run<TaggedEntry>(BY_DOMAINS, [accountId, domains]);
    return new Map(entries.map((entry) => [entry.domain, entry]));
  }

  /** The entries with the tag after this A-label, in order. */
  findTagged(accountId: string, tag: string, after: string, limit: number) {
    return this.statements.run<Pick<TaggedEntry, 'id' | 'domain'>>(TAGGED, [accountId, tag, after, limit]);
  }
}
