import { MINUTE } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/** Why checks run less often than the chosen interval. */
export type IntervalReason =
  /** The rate limit of the registry operator is too small for all its names. */
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
  readonly next_check_at: Date | null;
  /** When the most overdue name of the operator was due: the earliest due goes first, so all become as late. */
  readonly operator_due_since: Date | null;
  /** Whether its rate limit allows no more at present than it is asked. */
  readonly operator_at_limit: boolean;
}

const TOLERATED_LATENESS_MS = 2 * MINUTE;

/**
 * The interval at which checks really run.
 * @param units whose minute is a minute of the watch
 */
export function effectiveInterval(entry: EntryTiming, now: Date, { minute }: TimeUnits): EffectiveInterval {
  const { interval_minutes: chosen, required_interval_minutes: required } = entry;
  const lateMs = latenessMs(entry, now);
  if (lateMs <= TOLERATED_LATENESS_MS) return { minutes: required, reason: required > chosen ? 'plan' : null };
  return { minutes: required + Math.ceil(lateMs / minute), reason: entry.operator_at_limit ? 'budget' : 'backlog' };
}

/** A name that is not on a schedule is never late. */
function latenessMs({ next_check_at, operator_due_since }: EntryTiming, now: Date): number {
  if (!next_check_at) return 0;
  const dueSince = Math.min(next_check_at.getTime(), operator_due_since?.getTime() ?? Infinity);
  return now.getTime() - dueSince;
}
