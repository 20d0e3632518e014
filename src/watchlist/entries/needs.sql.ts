import { type Need, toFilters } from '../domain/needs.js';
import { toConditions } from './entry-filters.sql.js';

/**
 * Returns the SQL condition for the entries of an account that have this need for action.
 * @param values the parameters of the statement so far, starting with the account
 */
export function toNeedCondition(need: Need, now: Date, values: unknown[]): string {
  return toConditions({ accountId: String(values[0]), ...toFilters(need, now) }, values).where;
}
