import { MINUTE } from '../../kernel/clock.js';
import type { EntryDetails } from './entry-details.js';

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

/** A look may be so late without anything being wrong. */
const USUAL_LATENESS = 2 * MINUTE;

/**
 * The interval at which looks come in fact.
 * @param stretch how many times as long as promised the operator's budget makes it; 1 where it suffices
 */
export function effectiveInterval(entry: EntryDetails, stretch: number, now: Date): EffectiveInterval {
  const due = Math.max(entry.interval_minutes, entry.plan_floor_minutes);
  if (stretch > 1) return { minutes: Math.ceil(due * stretch), reason: 'budget' };
  const late = latenessOf(entry, now);
  if (late > USUAL_LATENESS) return { minutes: due + Math.ceil(late / MINUTE), reason: 'backlog' };
  return { minutes: due, reason: due > entry.interval_minutes ? 'plan' : null };
}

function latenessOf({ next_check_at }: EntryDetails, now: Date): number {
  return next_check_at ? now.getTime() - next_check_at.getTime() : 0;
}
