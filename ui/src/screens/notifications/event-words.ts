import type { ChannelDetails, Delivery } from '../../../../clients/typescript/src/index.js';
import { phaseLabel } from '../../components/phase-words.js';
import { describeDay } from '../../components/time-text.js';
import { CHANGE_TITLES } from '../name/record-words.js';

export type EventFilter = ChannelDetails['event_types'][number];

const EVENTS = {
  'watchlist.*': 'Everything about names',
  'watchlist.available': 'A name is available',
  'watchlist.status_changed': 'The status of a name changed',
  'watchlist.phase_changed': 'The phase of a name changed',
  'watchlist.expiring': 'Reminders before an expiry',
  'watchlist.check_failing': 'Checks of a name fail',
  'watchlist.check_recovered': 'Checks work again',
  'watchlist.record_changed': 'Name servers, registrar or locks changed',
  'watchlist.drift_changed': 'A name is not as expected, or is again',
  'watchlist.summary': 'A summary',
  'channel.disabled': 'Another channel was disabled',
  'channel.test': 'A test',
} as const satisfies Readonly<Record<EventFilter, string>>;

/** Filters that the form need not offer. No filter means all events, and tests and summaries need no filter. */
const RARE: readonly EventFilter[] = ['watchlist.*', 'watchlist.summary', 'channel.test'];

/** Returns the usual filters, and those that the channel already has through the API. */
export function offeredFilters(held: readonly EventFilter[]): readonly EventFilter[] {
  const all = Object.keys(EVENTS) as EventFilter[];
  return all.filter((filter) => !RARE.includes(filter) || held.includes(filter));
}

/** Describes an event type. A type of a later version is shown unchanged. */
export function eventLabel(type: string): string {
  return (EVENTS as Readonly<Record<string, string>>)[type] ?? type;
}

export type Happened = Pick<
  Delivery,
  'event_type' | 'phase' | 'previous_phase' | 'move' | 'kind' | 'threshold_days' | 'due_on'
>;

/** Describes a delivery in a few words, such as `Pending delete → Available`, or `First answer: Available`. */
export function happeningText(delivery: Happened): string {
  const { event_type: type, phase, previous_phase: before, move, kind, threshold_days: days, due_on: dueOn } = delivery;
  if (kind !== null) return `${CHANGE_TITLES[kind]} changed`;
  if (phase !== null && move === 'discovered') return `First answer: ${phaseLabel(phase)}`;
  if (phase !== null && before !== null && phase !== before) return `${phaseLabel(before)} → ${phaseLabel(phase)}`;
  if (days !== null) return dueOn === null ? 'Reminder' : `Reminder for ${describeDay(new Date(dueOn))}`;
  return eventLabel(type);
}
