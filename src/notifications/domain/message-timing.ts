import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/**
 * The least time between two messages to a person. Everything that is not urgent waits longer, so that one message has
 * several events. After a pause of five minutes everything goes at once.
 */
const GAP_MINUTES = { urgent: 1, routine: 5 } as const;

/** Returns the gaps in seconds, for the database's clock. */
export function messageGaps({ minute }: TimeUnits): { readonly urgent: number; readonly routine: number } {
  return { urgent: (GAP_MINUTES.urgent * minute) / SECOND, routine: (GAP_MINUTES.routine * minute) / SECOND };
}
