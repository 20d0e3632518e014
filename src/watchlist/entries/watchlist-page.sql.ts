import type { PageRequest, PageShape, SortKey } from './watchlist-page-reader.js';
import { type BoundStatement, type ListFilters, toConditions, ACCOUNT_TOTAL } from './list-filters.sql.js';
import { type VisibleColumns, visibleColumns } from './visible-columns.sql.js';

interface SortColumn {
  readonly column: string;
  /** A column of the name: join it before the page is cut. */
  readonly isOnName?: boolean;
  readonly isNullable?: boolean;
}

/**
 * Columns of the entry have an index in this order, read forwards or backwards. With isolated accounts, whether an entry
 * may show its expiry date depends on the time, so all entries of the account are sorted.
 */
const sortColumns = (name: VisibleColumns): Record<SortKey, SortColumn> => ({
  created_at: { column: 'e.created_at' },
  domain: { column: 'e.domain' },
  status: { column: 'e.status' },
  last_checked_at: { column: name.lastCheckedAt, isOnName: true, isNullable: true },
  expires_at: name.isIsolated
    ? { column: name.expiresAt, isOnName: true, isNullable: true }
    : { column: 'e.expires_at', isNullable: true },
});

/**
 * Selects ids first, through a narrow index where there is one, and joins afterwards, so that rows which OFFSET skips
 * are not joined. Only values of closed sets are written into the text; each shape is a prepared statement.
 */
export function pageStatement(request: PageRequest, columns: VisibleColumns = visibleColumns(false)): BoundStatement {
  const { where, values, name } = toConditions(request);
  const { column, isOnName = false, isNullable = false } = sortColumns(columns)[request.sort];
  const [direction, nulls] = request.descending ? ['desc', ' nulls last'] : ['asc', ' nulls first'];
  const order = `${column} ${direction}${isNullable ? nulls : ''}, e.id ${direction}`;
  const join = isOnName ? 'join watched_names n on n.domain = e.domain' : '';
  const ids = `select e.id from watch_entries e ${join} where ${where}
    order by ${order} limit $${values.length + 1} offset $${values.length + 2}`;
  const { page, perPage } = request;
  return {
    statement: { name: `list${name}_${shapeName(request)}`, text: selectListed(request, columns, ids, order) },
    values: [...values, perPage, (page - 1) * perPage],
  };
}

/** A statement of its own: inside the page's query there would be no row, hence no total, past the last page. */
export function countStatement(request: ListFilters): BoundStatement {
  const { where, values, name } = toConditions(request);
  const filteredCount = `select count(*)::int as total from watch_entries e where ${where}`;
  const text = name === '' ? `select ${ACCOUNT_TOTAL} as total` : filteredCount;
  return { statement: { name: `list_count${name}`, text }, values };
}

export function shapeName({ sort, descending, expanded }: PageShape): string {
  return `${sort}_${descending ? 'desc' : 'asc'}${expanded ? '_expanded' : ''}`;
}

/** Selects the listed columns of the entries with these ids, in this order. */
export function selectListed({ expanded }: PageShape, columns: VisibleColumns, ids: string, order: string): string {
  return `select e.id, e.domain, e.status, e.interval_minutes, ${columns.lastCheckedAt} as last_checked_at,
      e.created_at${expanded ? expandedColumns(columns) : ''}
    from (${ids}) as ids
    join watch_entries e on e.id = ids.id join watched_names n on n.domain = e.domain
    ${expanded ? 'left join name_evidence v on v.domain = e.domain' : ''}
    order by ${order}`;
}

function expandedColumns({ facts, evidence, record, failingSince }: VisibleColumns): string {
  return `, e.phase, ${facts} as facts, ${evidence} as evidence, ${record} as record,
      ${failingSince} as failing_since, n.failure_code`;
}
