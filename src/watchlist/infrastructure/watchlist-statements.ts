import type { PageRequest, PageShape, SortKey } from '../domain/watchlist-pages.js';
import { type Bound, type Filters, filtersOf, TOTAL_OF_ACCOUNT } from './list-filters.js';
import { type NameColumns, nameColumns } from './name-columns.js';

interface SortColumn {
  readonly column: string;
  /** Those of the name need it joined before the page is cut. */
  readonly ofName?: boolean;
  readonly isNullable?: boolean;
}

/**
 * What stands on the entry is indexed there in this order, read forwards or backwards. Where accounts are isolated, it
 * depends on the moment whether an entry may show its expiry: all of the account's are sorted.
 */
const columnsOf = (name: NameColumns): Record<SortKey, SortColumn> => ({
  created_at: { column: 'e.created_at' },
  domain: { column: 'e.domain' },
  status: { column: 'e.status' },
  last_checked_at: { column: name.lastCheckedAt, ofName: true, isNullable: true },
  expires_at: name.isIsolated
    ? { column: name.expiresAt, ofName: true, isNullable: true }
    : { column: 'e.expires_at', isNullable: true },
});

/**
 * Ids first, over a narrow index where there is one, then the join: OFFSET walks past rows, and need not join those
 * that it skips. Only what comes from closed sets is written into the text; each shape is a prepared statement.
 */
export function pageStatement(request: PageRequest, columns: NameColumns = nameColumns(false)): Bound {
  const { where, values, name } = filtersOf(request);
  const { column, ofName = false, isNullable = false } = columnsOf(columns)[request.sort];
  const [way, nulls] = request.descending ? ['desc', ' nulls last'] : ['asc', ' nulls first'];
  const order = `${column} ${way}${isNullable ? nulls : ''}, e.id ${way}`;
  const join = ofName ? 'join watched_names n on n.domain = e.domain' : '';
  const ids = `select e.id from watch_entries e ${join} where ${where}
    order by ${order} limit $${values.length + 1} offset $${values.length + 2}`;
  const { page, perPage } = request;
  return {
    statement: { name: `list${name}_${shapeOf(request)}`, text: shownOf(request, columns, ids, order) },
    values: [...values, perPage, (page - 1) * perPage],
  };
}

/** On its own: inside the page's query it would give no row, hence no total, past the end. */
export function countStatement(request: Filters): Bound {
  const { where, values, name } = filtersOf(request);
  const counted = `select count(*)::int as total from watch_entries e where ${where}`;
  const text = name === '' ? `select ${TOTAL_OF_ACCOUNT} as total` : counted;
  return { statement: { name: `list_count${name}`, text }, values };
}

export function shapeOf({ sort, descending, expanded }: PageShape): string {
  return `${sort}_${descending ? 'desc' : 'asc'}${expanded ? '_expanded' : ''}`;
}

/** The entries with these ids as a list shows them, in this order. */
export function shownOf({ expanded }: PageShape, columns: NameColumns, ids: string, order: string): string {
  return `select e.id, e.domain, e.status, e.interval_minutes, ${columns.lastCheckedAt} as last_checked_at,
      e.created_at${expanded ? expandedColumns(columns) : ''}
    from (${ids}) as ids
    join watch_entries e on e.id = ids.id join watched_names n on n.domain = e.domain
    ${expanded ? 'left join name_evidence v on v.domain = e.domain' : ''}
    order by ${order}`;
}

function expandedColumns({ facts, evidence, failingSince }: NameColumns): string {
  return `, e.phase, ${facts} as facts, ${evidence} as evidence, ${failingSince} as failing_since, n.failure_code`;
}
