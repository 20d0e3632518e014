import { MINUTE } from '../../../kernel/clock.js';

/** So many names of an operator want a look every so many minutes. */
export interface OperatorDemand {
  readonly operator: string;
  readonly intervalMinutes: number;
  readonly names: number;
}

/** Each halves the error: they come to well below a millisecond, whatever the delay. */
const BISECTION_STEPS = 60;

/**
 * How much later than promised looks come where an operator's budget does not suffice. Whoever is due first goes first,
 * so every name waits as long as any other, and as long as makes all of them together want what is granted.
 * @param grantedPerMinute looks a minute; Infinity where nothing limits them
 * @returns minutes; 0 where the budget suffices
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
