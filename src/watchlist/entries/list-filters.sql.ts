import type { SqlStatement } from '../../platform/database/sql-client.js';
import type { PageRequest } from './watchlist-page-reader.js';

/** A statement with its parameters. */
export interface BoundStatement {
  readonly statement: SqlStatement;
  readonly values: readonly unknown[];
}

export type ListFilters = Pick<PageRequest, 'accountId'> & Partial<Pick<PageRequest, 'status' | 'domain' | 'tags'>>;

/** The requested filters as conditions on `e`, with their parameters from `$2` on. */
export function toConditions({ accountId, status, domain, tags }: ListFilters) {
  const values: unknown[] = [accountId];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    ...(status === undefined ? [] : [{ name: 'status', condition: `e.status = ${bind(status)}` }]),
    ...(domain === undefined ? [] : [{ name: 'domain', condition: `starts_with(e.domain, ${bind(domain)})` }]),
    ...(tags === undefined ? [] : [{ name: 'tags', condition: `e.tags @> ${bind(tags)}::text[]` }]),
  ];
  const where = ['e.account_id = $1', ...conditions.map(({ condition }) => condition)].join(' and ');
  return { where, values, name: conditions.map(({ name }) => `_by_${name}`).join('') };
}

/** A trigger counts the entries of each account as they are added and deleted. */
export const ACCOUNT_TOTAL = 'coalesce((select entries from entry_counts where account_id = $1), 0)';
