import { MINUTE } from '../../kernel/clock.js';

/** Number of names of an operator that share one interval. */
export interface OperatorDemand {
  readonly operator: string;
  readonly intervalMinutes: number;
  readonly names: number;
}

/** Each step halves the error: 60 steps reach far below a millisecond. */
const BISECTION_STEPS = 60;

/**
 * The delay that balances demand and budget. The earliest due goes first, so all names wait equally long: exactly as
 * long as makes their demand equal to the budget.
 * @param grantedPerMinute lookups per minute; Infinity without a rate limit
 * @returns minutes; 0 when the budget suffices
 */
export function equilibriumDelay(
  demands: readonly Omit<OperatorDemand, 'operator'>[],
  grantedPerMinute: number,
): number {
  const requestedWithDelay = (delay: number) =>
    demands.reduce((sum, { names, intervalMinutes }) => sum + names / (intervalMinutes + delay), 0);
  if (requestedWithDelay(0) <= grantedPerMinute) return 0;
  let [tooShort, enough] = [0, demands.reduce((sum, { names }) => sum + names, 0) / grantedPerMinute];
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const between = (tooShort + enough) / 2;
    if (requestedWithDelay(between) > grantedPerMinute) tooShort = between;
    else enough = between;
  }
  return Math.round(enough * MINUTE) / MINUTE;
}
