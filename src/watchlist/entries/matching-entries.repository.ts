import { Injectable } from '@nestjs/common';
import type { RegistrationRecord } from '../../domains/language.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { parseRecord, type StoredRecord } from '../records/registration-records.repository.js';
import { toConditions } from './entry-filters.sql.js';
import { VISIBLE } from './visible-columns.sql.js';

const RECORDS = {
  name: 'records_of_entries',
  text: `select e.domain, ${VISIBLE.record} as record from watch_entries e join watched_names n on n.domain = e.domain
         where e.account_id = $1 and e.domain = any($2::text[])`,
};

@Injectable()
export class MatchingEntryReader {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the matching A-labels in order, as one text: a row for each would take ten times the memory. */
  async findDomains(filters: EntryFilters): Promise<readonly string[]> {
    const { where, values } = toConditions(filters);
    const text = `select string_agg(e.domain, ' ' order by e.domain) as domains from watch_entries e where ${where}`;
    const [found] = await this.statements.run<{ domains: string | null }>({ name: '', text }, values);
    return found?.domains?.split(' ') ?? [];
  }

  /** Returns those of the given names whose entries match now. Call inside a unit of work that has locked the names. */
  async findMatching(filters: EntryFilters, domains: readonly string[]): Promise<ReadonlySet<string>> {
    const { where, values } = toConditions(filters);
    const text = `select e.domain from watch_entries e where ${where} and e.domain = any($${values.length + 1}::text[])`;
    const found = await this.statements.run<{ domain: string }>({ name: '', text }, [...values, domains]);
    return new Set(found.map(({ domain }) => domain));
  }

  /** Returns the record that the account sees of each name; null if there is none yet. */
  async findRecords(
    accountId: string,
    domains: readonly string[],
  ): Promise<ReadonlyMap<string, RegistrationRecord | null>> {
    type Row = { readonly domain: string; readonly record: StoredRecord | null };
    const found = await this.statements.run<Row>(RECORDS, [accountId, domains]);
    return new Map(found.map(({ domain, record }) => [domain, parseRecord(record)]));
  }
}
