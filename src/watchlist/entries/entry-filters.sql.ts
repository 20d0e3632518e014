import type { EntryFilters } from '../domain/entry-filters.js';
import { type Need, toFilters } from '../domain/needs.js';
import { tagsBetweenSeparators, toSearched } from '../domain/searched-text.js';

/**
 * Frequent requests use only these filters. Statements with other filters are not prepared: PostgreSQL would keep too
 * many statements.
 */
const PREPARED = ['status', 'domain'];

export interface EntryConditions {
  readonly where: string;
  readonly values: readonly unknown[];
  /** Part of the prepared statement's name; empty without conditions. null means that the statement is not prepared. */
  readonly name: string | null;
}

/** @param values the parameters of the statement so far, starting with the account's id */
export function toConditions(filters: EntryFilters, values: unknown[] = [filters.accountId]): EntryConditions {
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = Object.entries(CONDITIONS).flatMap(([name, toCondition]) => {
    const value = filters[name as keyof EntryFilters];
    if (value === undefined) return [];
    return [{ name, condition: (toCondition as Condition<unknown>)(value, bind) }];
  });
  const isPrepared = conditions.every(({ name }) => PREPARED.includes(name));
  return {
    where: ['e.account_id = $1', ...conditions.map(({ condition }) => condition)].join(' and '),
    values,
    name: isPrepared ? conditions.map(({ name }) => `_by_${name}`).join('') : null,
  };
}

/** @param values the parameters of the statement so far, starting with the account's id */
export function toNeedCondition(need: Need, now: Date, values: unknown[]): string {
  return toConditions({ accountId: String(values[0]), ...toFilters(need, now) }, values).where;
}

type Condition<Value> = (value: Value, bind: (value: unknown) => string) => string;

/** Searches short texts in an index. Texts that are too long for the index are searched in the table. */
const inText = (find: (column: string) => string, orElse = 'false') =>
  `(${orElse} or ${find('e.searched_text')} or e.id in (
      select id from watch_entries where account_id = $1 and long_text is not null and ${find('long_text')}))`;

/** SQL that tests a boolean column. Avoids `is not true`, with which PostgreSQL would not use the partial index. */
const isTrue = (condition: string, expected: boolean) => (expected ? condition : `not ${condition}`);

const CONDITIONS: {
  readonly [Name in Exclude<keyof EntryFilters, 'accountId'>]-?: Condition<NonNullable<EntryFilters[Name]>>;
} = {
  status: (status, bind) => `e.status = ${bind(status)}`,
  domain: (prefix, bind) => `starts_with(e.domain, ${bind(prefix)})`,
  tags: (tags, bind) => {
    const each = tags.map((tag) => bind(tagsBetweenSeparators([tag])));
    return inText((column) => each.map((tag) => `strpos(${column}, ${tag}) > 0`).join(' and '));
  },
  // Uses `strpos`, which treats `%` and `_` as plain text.
  search: (text, bind) => {
    const searched = bind(toSearched(text));
    return inText((column) => `strpos(${column}, ${searched}) > 0`, `strpos(e.domain, ${searched}) > 0`);
  },
  phase: (phase, bind) => `e.phase = ${bind(phase)}`,
  purpose: (purpose, bind) => `e.purpose = ${bind(purpose)}`,
  paused: (paused) => isTrue('e.paused', paused),
  failing: (failing) => isTrue('e.failing', failing),
  answered: (answered) => isTrue('e.answered', answered),
  drift: (drift) => isTrue('e.drifted', drift),
  expires: ([from, to], bind) => `e.expires_at between ${bind(from)} and ${bind(to)}`,
  tlds: (tlds, bind) => `split_part(e.domain, '.', -1) = any(${bind(tlds)}::text[])`,
  ids: (ids, bind) => `e.id = any(${bind(ids)}::text[])`,
  importId: (importId, bind) => `e.import_id = ${bind(importId)}`,
};
