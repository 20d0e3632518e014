import type { Statement } from '../../platform/statements.js';
import type { PageRequest, SortKey } from '../domain/watchlist-pages.js';
import { type NameColumns, nameColumns } from './name-columns.js';

/** Where a sort key stands; those of the name need it joined before the page is cut. */
const columnsOf = (name: NameColumns): Record<SortKey, { readonly column: string; readonly ofName: boolean }> => ({
  created_at: { column: 'e.created_at', ofName: false },
  domain: { column: 'e.domain', ofName: false },
  status: { column: 'e.status', ofName: false },
  last_checked_at: { column: name.lastCheckedAt, ofName: true },
  expires_at: { column: name.expiresAt, ofName: true },
});

/** A statement and what it is bound to. */
interface Bound {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

type Filters = Pick<PageRequest, 'accountId'> & Partial<Pick<PageRequest, 'status' | 'domain' | 'tags'>>;

/** The filters that were asked for, as conditions on `e`, with their values from `$2` on. */
function filtersOf({ accountId, status, domain, tags }: Filters) {
  const values: unknown[] = [accountId];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const asked = [
    ...(status === undefined ? [] : [{ name: 'status', condition: `e.status = ${bind(status)}` }]),
    ...(domain === undefined ? [] : [{ name: 'domain', condition: `starts_with(e.domain, ${bind(domain)})` }]),
    ...(tags === undefined ? [] : [{ name: 'tags', condition: `e.tags @> ${bind(tags)}::text[]` }]),
  ];
  const where = ['e.account_id = $1', ...asked.map(({ condition }) => condition)].join(' and ');
  return { where, values, name: asked.map(({ name }) => `_by_${name}`).join('') };
}

/**
 * Ids first, over a narrow index where there is one, then the join: OFFSET walks past rows, and need not join those
 * that it skips. Only what comes from closed sets is written into the text; each shape is a prepared statement.
 */
export function pageStatement(request: PageRequest, columns: NameColumns = nameColumns(false)): Bound {
  const { where, values, name } = filtersOf(request);
  const { column, ofName } = columnsOf(columns)[request.sort];
  const direction = request.descending ? 'desc nulls last' : 'asc nulls first';
  // A plain order is that of the index on the newest entries; nulls there are none.
  const way = request.descending ? 'desc' : 'asc';
  const order = ofName ? `${column} ${direction}, e.id ${way}` : `${column} ${way}, e.id ${way}`;
  const join = 'join watched_names n on n.domain = e.domain';
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const expansion = request.expanded ? expandedColumns(columns) : '';
  const text = `select e.id, e.domain, e.status, e.interval_minutes, ${columns.lastCheckedAt} as last_checked_at,
      e.created_at${expansion}
    from (select e.id from watch_entries e ${ofName ? join : ''} where ${where}
          order by ${order} limit ${limit} offset ${offset}) as ids
    join watch_entries e on e.id = ids.id ${join}
    ${request.expanded ? 'left join name_evidence v on v.domain = e.domain' : ''}
    order by ${order}`;
  const shape = `${request.sort}_${way}${request.expanded ? '_expanded' : ''}`;
  const { page, perPage } = request;
  return { statement: { name: `list${name}_${shape}`, text }, values: [...values, perPage, (page - 1) * perPage] };
}

function expandedColumns({ facts, evidence, failingSince }: NameColumns): string {
  return `, e.phase, ${facts} as facts, ${evidence} as evidence, ${failingSince} as failing_since, n.failure_code`;
}

/** On its own: inside the page's query it would give no row, hence no total, past the end. */
export function countStatement(request: Filters): Bound {
  const { where, values, name } = filtersOf(request);
  const text = `select count(*)::int as total from watch_entries e where ${where}`;
  return { statement: { name: `list_count${name}`, text }, values };
}
