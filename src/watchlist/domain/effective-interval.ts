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

/** The columns that the effective interval depends on. */
export interface EntryTiming {
  readonly interval_minutes: number;
  readonly plan_minimum_minutes: number;
  /** Delay because the operator's budget is too small; 0 when it suffices or is unknown. */
  readonly budget_delay_minutes: number;
  readonly next_check_at: Date | null;
}

/** Lateness that is normal. */
const TOLERATED_LATENESS_MS = 2 * MINUTE;

/**
 * The interval at which checks really run.
 * @param units whose minute is a minute of the watch
 */
export function effectiveInterval(entry: EntryTiming, now: Date, { minute }: TimeUnits): EffectiveInterval {
  const { interval_minutes: chosen, plan_minimum_minutes: planMinimum, budget_delay_minutes: delay } = entry;
  const due = Math.max(chosen, planMinimum);
  const lateMs = latenessMs(entry, now);
  const lateMinutes = lateMs / minute;
  if (delay > 0) return { minutes: Math.ceil(due + Math.max(delay, lateMinutes)), reason: 'budget' };
  if (lateMs > TOLERATED_LATENESS_MS) return { minutes: due + Math.ceil(lateMinutes), reason: 'backlog' };
  return { minutes: due, reason: due > chosen ? 'plan' : null };
}

function latenessMs({ next_check_at }: EntryTiming, now: Date): number {
  return next_check_at ? now.getTime() - next_check_at.getTime() : 0;
}
