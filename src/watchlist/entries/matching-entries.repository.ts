import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { toConditions } from './entry-filters.sql.js';

@Injectable()
export class MatchingEntryReader {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the matching A-labels in order. Reads one text: a row for each would take ten times the memory. */
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
}
