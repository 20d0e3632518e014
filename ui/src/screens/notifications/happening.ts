import type { Delivery } from '../../../../clients/typescript/src/index.js';
import { phaseLabel } from '../../components/badge.js';
import { CHANGE_TITLES } from '../name/record/record-words.js';
import { eventTypeLabel } from './event-types.js';

type Happened = Pick<Delivery, 'event_type' | 'phase' | 'previous_phase' | 'kind' | 'threshold_days'>;

/** What a delivery tells, in a few words: `Pending delete → Available`. */
export function happeningText(delivery: Happened): string {
  const { event_type: type, phase, previous_phase: before, kind, threshold_days: days } = delivery;
  if (kind !== null) return `${CHANGE_TITLES[kind]} changed`;
  if (phase !== null && before !== null && phase !== before) return `${phaseLabel(before)} → ${phaseLabel(phase)}`;
  if (days !== null) return `Reminder: ${days === 1 ? '1 day' : `${days} days`} before the expiry`;
  return eventTypeLabel(type);
}
