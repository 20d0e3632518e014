import { MINUTE } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/** Why checks run less often than the chosen interval. */
export type IntervalReason =
  /** The budget of the registry operator is too small for all its names. */
  | 'budget'
  /** The current plan of the account has a longer minimum. */
  | 'plan'
  /** Checks are late: the service was down, or has too few workers. */
  | 'backlog';

export interface EffectiveInterval {
  readonly minutes: number;
  readonly reason: IntervalReason | null;
}

interface EntryTiming {
  readonly interval_minutes: number;
  /** The chosen interval, or the plan's minimum where that is longer. */
  readonly required_interval_minutes: number;
  /** Delay because the operator's budget is too small; 0 when it suffices or is unknown. */
  readonly budget_delay_minutes: number;
  readonly next_check_at: Date | null;
}

const TOLERATED_LATENESS_MS = 2 * MINUTE;

/**
 * The interval at which checks really run.
 * @param units whose minute is a minute of the watch
 */
export function effectiveInterval(entry: EntryTiming, now: Date, { minute }: TimeUnits): EffectiveInterval {
  const { interval_minutes: chosen, required_interval_minutes: required, budget_delay_minutes: delay } = entry;
  const lateMs = latenessMs(entry, now);
  const lateMinutes = lateMs / minute;
  if (delay > 0) return { minutes: Math.ceil(required + Math.max(delay, lateMinutes)), reason: 'budget' };
  if (lateMs > TOLERATED_LATENESS_MS) return { minutes: required + Math.ceil(lateMinutes), reason: 'backlog' };
  return { minutes: required, reason: required > chosen ? 'plan' : null };
}

function latenessMs({ next_check_at }: EntryTiming, now: Date): number {
  return next_check_at ? now.getTime() - next_check_at.getTime() : 0;
}

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
