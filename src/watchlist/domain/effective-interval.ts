import { MINUTE } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/** Why checks run less often than the watcher chose. */
export type IntervalReason =
  /** The registry operator's rate limit is too low to check all its names on time. */
  | 'budget'
  /** The account's current plan has a longer minimum interval. */
  | 'plan'
  /** Checks are late: the service was down, or has too few workers. */
  | 'backlog';

export interface EffectiveInterval {
  readonly minutes: number;
  readonly reason: IntervalReason | null;
}

interface EntryTiming {
  readonly interval_minutes: number;
  /** The chosen interval, or the plan's minimum if that is longer. */
  readonly required_interval_minutes: number;
  readonly next_check_at: Date | null;
  /**
   * The earliest due time of the operator's routine checks. The most overdue check runs first, so all checks become
   * equally late.
   */
  readonly operator_due_since: Date | null;
  /**
   * Whether recent queries still count against the operator's rate limit. If so, the limit counts as the reason for
   * late checks.
   */
  readonly operator_at_limit: boolean;
}

const TOLERATED_LATENESS_MS = 2 * MINUTE;

/** Returns the interval at which checks really run. `minute` may be shorter than a real minute (TIME_SCALE). */
export function effectiveInterval(entry: EntryTiming, now: Date, { minute }: TimeUnits): EffectiveInterval {
  const { interval_minutes: chosen, required_interval_minutes: required } = entry;
  const lateMs = latenessMs(entry, now);
  if (lateMs <= TOLERATED_LATENESS_MS) return { minutes: required, reason: required > chosen ? 'plan' : null };
  return { minutes: required + Math.ceil(lateMs / minute), reason: entry.operator_at_limit ? 'budget' : 'backlog' };
}

function latenessMs({ next_check_at, operator_due_since }: EntryTiming, now: Date): number {
  if (!next_check_at) return 0;
  const dueSince = Math.min(next_check_at.getTime(), operator_due_since?.getTime() ?? Infinity);
  return now.getTime() - dueSince;
}
