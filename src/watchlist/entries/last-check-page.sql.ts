import type { PageRequest } from './watchlist-page-reader.js';
import { type BoundStatement, toConditions, ACCOUNT_TOTAL } from './list-filters.sql.js';
import type { VisibleColumns } from './visible-columns.sql.js';
import { shapeName, selectListed } from './watchlist-page.sql.js';

/**
 * Pages sorted by the time of the last check. That time is stored on the name, so that a check writes one row for any
 * number of watchers. A page therefore has two segments: entries whose name has no answer yet, by id, and the others by
 * the time. For the latter the planner either walks the index on all names, skipping those the account does not watch,
 * or sorts the account's own where they are few.
 */
interface PageSegment {
  readonly limit: number;
  readonly offset: number;
}

/** Counts all entries, and those of the first segment, the latter at least up to the end of the page. */
export function segmentCountStatement(request: PageRequest): BoundStatement {
  const { where, values, name } = toConditions(request);
  const direction = request.descending ? 'desc' : 'asc';
  const isInFirstSegment = request.descending ? 'e.answered' : 'not e.answered';
  const statement = { name: `list_segments${name}_${direction}`, text: '' };
  if (name !== '') {
    const text = `select count(*)::int as total, (count(*) filter (where ${isInFirstSegment}))::int as first
      from watch_entries e where ${where}`;
    return { statement: { ...statement, text }, values };
  }
  const text = `select ${ACCOUNT_TOTAL} as total, (
      select count(*)::int from (select from watch_entries e where ${where} and ${isInFirstSegment} limit $2) as segment) as first`;
  return { statement: { ...statement, text }, values: [...values, request.page * request.perPage] };
}

/** @param first the number of entries in the first segment, up to the end of the page */
export function lastCheckPageStatement(request: PageRequest, columns: VisibleColumns, first: number): BoundStatement {
  const { where, values, name } = toConditions(request);
  const [direction, nulls] = request.descending ? ['desc', 'nulls last'] : ['asc', 'nulls first'];
  const [a, b, c, d] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const ids = `(
      select e.id from watched_names n join watch_entries e on e.domain = n.domain
      where ${where} and e.answered and n.last_checked_at is not null
      order by n.last_checked_at ${direction}, e.id ${direction} limit ${a} offset ${b}
    ) union all (
      select e.id from watch_entries e where ${where} and not e.answered order by e.id ${direction} limit ${c} offset ${d})`;
  const [checked, unchecked] = request.descending ? splitPage(request, first) : splitPage(request, first).toReversed();
  return {
    statement: {
      name: `list${name}_${shapeName(request)}`,
      text: selectListed(request, columns, ids, `n.last_checked_at ${direction} ${nulls}, e.id ${direction}`),
    },
    values: [...values, ...[checked, unchecked].flatMap((segment) => [segment?.limit, segment?.offset])],
  };
}

function splitPage({ page, perPage }: PageRequest, first: number): readonly PageSegment[] {
  const offset = (page - 1) * perPage;
  const fromFirst = Math.min(perPage, Math.max(0, first - offset));
  return [
    { limit: fromFirst, offset: fromFirst > 0 ? offset : 0 },
    { limit: perPage - fromFirst, offset: Math.max(0, offset - first) },
  ];
}
