import { Injectable } from '@nestjs/common';
import type { EntrySettings } from '../domain/entry-settings.js';
import { entrySettingColumns } from '../mappings.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** An entry, to be compared with a line of a file. */
export interface TaggedEntry {
  readonly id: string;
  readonly domain: string;
  readonly settings: EntrySettings;
}

const BY_DOMAINS = {
  name: 'tagged_entries_by_domains',
  text: `select id, domain, ${entrySettingColumns.list()} from watch_entries
         where account_id = $1 and domain = any($2::text[])`,
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
    type Row = { readonly id: string; readonly domain: string; readonly [column: string]: unknown };
    const rows = await this.statements.run<Row>(BY_DOMAINS, [accountId, domains]);
    return new Map(
      rows.map((row) => [row.domain, { id: row.id, domain: row.domain, settings: entrySettingColumns.toFields(row) }]),
    );
  }

  /** The entries with the tag after this A-label, in order. */
  findTagged(accountId: string, tag: string, after: string, limit: number) {
    return this.statements.run<Pick<TaggedEntry, 'id' | 'domain'>>(TAGGED, [accountId, tag, after, limit]);
  }
}
