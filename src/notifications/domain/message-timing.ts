import { SECOND } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/**
 * How long after its last message a person gets the next one: an urgent message waits for a minute, everything else for
 * five, so that it has company. After a pause of five minutes everything goes at once.
 */
const GAP_MINUTES = { urgent: 1, routine: 5 } as const;

/** In seconds of the database's clock. */
export function messageGaps({ minute }: TimeUnits): { readonly urgent: number; readonly routine: number } {
  return { urgent: (GAP_MINUTES.urgent * minute) / SECOND, routine: (GAP_MINUTES.routine * minute) / SECOND };
}
