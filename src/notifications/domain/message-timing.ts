import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/**
 * The least time between two messages to a person. Routine events wait longer, so that one message collects several
 * events. After five quiet minutes, any event goes at once.
 */
const GAP_MINUTES = { urgent: 1, routine: 5 } as const;

/** Returns the gaps in seconds, as the SQL statements take them. */
export function messageGaps({ minute }: TimeUnits): { readonly urgent: number; readonly routine: number } {
  return { urgent: (GAP_MINUTES.urgent * minute) / SECOND, routine: (GAP_MINUTES.routine * minute) / SECOND };
}
