import type { Delivery } from '../../../../clients/typescript/src/index.js';
import { phaseLabel } from '../../components/phase-words.js';
import { CHANGE_TITLES } from '../name/record/record-words.js';
import { eventTypeLabel } from './event-types.js';

type Happened = Pick<Delivery, 'event_type' | 'phase' | 'previous_phase' | 'move' | 'kind' | 'threshold_days'>;

/** What a delivery tells, in a few words: `Pending delete → Available`, or `First answer: Available`. */
export function happeningText(delivery: Happened): string {
  const { event_type: type, phase, previous_phase: before, move, kind, threshold_days: days } = delivery;
  if (kind !== null) return `${CHANGE_TITLES[kind]} changed`;
  if (phase !== null && move === 'discovered') return `First answer: ${phaseLabel(phase)}`;
  if (phase !== null && before !== null && phase !== before) return `${phaseLabel(before)} → ${phaseLabel(phase)}`;
  if (days !== null) return `Reminder: ${days === 1 ? '1 day' : `${days} days`} before the expiry`;
  return eventTypeLabel(type);
}
