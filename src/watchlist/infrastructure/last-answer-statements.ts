import type { PageRequest } from '../domain/watchlist-pages.js';
import { type Bound, filtersOf, TOTAL_OF_ACCOUNT } from './list-filters.js';
import type { NameColumns } from './name-columns.js';
import { shapeOf, shownOf } from './watchlist-statements.js';

/**
 * Pages by the time of the last answer. It stands on the name, since a look writes one row however many watch; so a page
 * comes from two parts. Entries whose name has no answer yet are in the order of their ids. Of the others an index on
 * all names is walked, past those that the account does not watch, or the account's are sorted where they are few: which
 * is for the planner to say.
 */
interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** The total, and how many of the part that comes first there are, at least up to the end of the page. */
export function firstPartStatement(request: PageRequest): Bound {
  const { where, values, name } = filtersOf(request);
  const way = request.descending ? 'desc' : 'asc';
  const isFirst = request.descending ? 'e.answered' : 'not e.answered';
  const statement = { name: `list_parts${name}_${way}`, text: '' };
  if (name !== '') {
    const text = `select count(*)::int as total, (count(*) filter (where ${isFirst}))::int as first
      from watch_entries e where ${where}`;
    return { statement: { ...statement, text }, values };
  }
  const text = `select ${TOTAL_OF_ACCOUNT} as total, (
      select count(*)::int from (select from watch_entries e where ${where} and ${isFirst} limit $2) as part) as first`;
  return { statement: { ...statement, text }, values: [...values, request.page * request.perPage] };
}

/** @param first how many there are of the part that comes first, up to the end of the page */
export function lastAnswerPageStatement(request: PageRequest, columns: NameColumns, first: number): Bound {
  const { where, values, name } = filtersOf(request);
  const [way, nulls] = request.descending ? ['desc', 'nulls last'] : ['asc', 'nulls first'];
  const [a, b, c, d] = [1, 2, 3, 4].map((n) => `$${values.length + n}`);
  const ids = `(
      select e.id from watched_names n join watch_entries e on e.domain = n.domain
      where ${where} and e.answered and n.last_checked_at is not null
      order by n.last_checked_at ${way}, e.id ${way} limit ${a} offset ${b}
    ) union all (
      select e.id from watch_entries e where ${where} and not e.answered order by e.id ${way} limit ${c} offset ${d})`;
  const [answered, others] = request.descending ? partsOf(request, first) : partsOf(request, first).toReversed();
  return {
    statement: {
      name: `list${name}_${shapeOf(request)}`,
      text: shownOf(request, columns, ids, `n.last_checked_at ${way} ${nulls}, e.id ${way}`),
    },
    values: [...values, ...[answered, others].flatMap((part) => [part?.limit, part?.offset])],
  };
}

function partsOf({ page, perPage }: PageRequest, first: number): readonly Part[] {
  const offset = (page - 1) * perPage;
  const ofFirst = Math.min(perPage, Math.max(0, first - offset));
  return [
    { limit: ofFirst, offset: ofFirst > 0 ? offset : 0 },
    { limit: perPage - ofFirst, offset: Math.max(0, offset - first) },
  ];
}
