import { MINUTE } from '../../../kernel/clock.js';

/** What stands between an entry and the interval that was chosen for it. */
export type IntervalReason =
  /** Its operator grants fewer looks than all its names together want. */
  | 'budget'
  /** The account's plan became a lesser one. */
  | 'plan'
  /** Looks are late: the service was away, or has too few workers. */
  | 'backlog';

export interface EffectiveInterval {
  readonly minutes: number;
  readonly reason: IntervalReason | null;
}

/** What the interval of an entry depends on, as its row has it. */
export interface EntryTiming {
  readonly interval_minutes: number;
  readonly plan_floor_minutes: number;
  /** How much later looks come since the operator's budget grants no more; 0 where it suffices or nobody knows. */
  readonly budget_delay_minutes: number;
  readonly next_check_at: Date | null;
}

/** A look may be so late without anything being wrong. */
const TOLERATED_LATENESS_MS = 2 * MINUTE;

/**
 * The interval at which looks come in fact.
 * @param timeScale how many minutes of the watch pass in one of the clock
 */
export function effectiveInterval(entry: EntryTiming, now: Date, timeScale = 1): EffectiveInterval {
  const { interval_minutes: chosen, plan_floor_minutes: planMinimum, budget_delay_minutes: delay } = entry;
  const due = Math.max(chosen, planMinimum);
  const lateMs = latenessMs(entry, now);
  const lateMinutes = (lateMs * timeScale) / MINUTE;
  if (delay > 0) return { minutes: Math.ceil(due + Math.max(delay, lateMinutes)), reason: 'budget' };
  if (lateMs > TOLERATED_LATENESS_MS) return { minutes: due + Math.ceil(lateMinutes), reason: 'backlog' };
  return { minutes: due, reason: due > chosen ? 'plan' : null };
}

function latenessMs({ next_check_at }: EntryTiming, now: Date): number {
  return next_check_at ? now.getTime() - next_check_at.getTime() : 0;
}
