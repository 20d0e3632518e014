import { DateTime, IANAZone } from 'luxon';
import { createDomainEvent, type DomainEvent } from '../../kernel/domain-event.js';
import { NEED_NAMES } from '../../watchlist/language.js';

export const SUMMARY_PERIODS = ['week', 'month'] as const;

/** When a channel gets a summary, in local time. */
export interface SummarySchedule {
  readonly every: (typeof SUMMARY_PERIODS)[number];
  /** The day of the week (1 for Monday) or of the month. A shorter month uses its last day. */
  readonly on: number;
  /** The local time, such as `08:00`. */
  readonly at: string;
  /** A zone of the IANA time zone database, such as `Europe/Berlin`. */
  readonly zone: string;
  /** Whether to send a summary that has nothing to report. */
  readonly send_empty: boolean;
}

export function isTimeZone(zone: string): boolean {
  return IANAZone.isValidZone(zone);
}

/**
 * Returns the first scheduled time after `later`. If daylight saving time skips a time such as 02:30, the summary comes
 * later, for example at 03:30.
 */
export function nextSummaryAt(schedule: SummarySchedule, later: Date): Date {
  const local = DateTime.fromJSDate(later, { zone: schedule.zone });
  // Invalid if the time zone database no longer has this zone.
  if (!local.isValid) return nextSummaryAt({ ...schedule, zone: 'UTC' }, later);
  for (let periods = 0; ; periods += 1) {
    const at = timeInPeriod(schedule, local, periods);
    if (at > later) return at;
  }
}

function timeInPeriod({ every, on, at }: SummarySchedule, now: DateTime, periods: number): Date {
  const start = now.startOf(every).plus({ [every]: periods });
  const days = every === 'week' ? on : Math.min(on, start.daysInMonth ?? on);
  const [hour, minute] = at.split(':').map(Number);
  return start
    .plus({ days: days - 1 })
    .set({ hour: hour ?? 0, minute: minute ?? 0 })
    .toJSDate();
}

export interface SummaryGroup {
  readonly count: number;
  readonly domains: readonly string[];
}

/** Sorted by urgency. `renewals`: no expiry date is known, and the renewal date that the account entered is near. */
export const SUMMARY_GROUPS = [...NEED_NAMES, 'renewals'] as const;
export type SummaryGroups = Readonly<Record<(typeof SUMMARY_GROUPS)[number], SummaryGroup>>;

/** The `data` of `watchlist.summary`. */
export interface SummaryData extends SummaryGroups {
  readonly channel_id: string;
  readonly label: string | null;
  /** The number of watched names. If the channel filters by tags, only names with one of these tags count. */
  readonly names: number;
  /** When the summary was due. After an outage, the summary is sent later than this time. */
  readonly due_at: string;
}

export function isEmptySummary(groups: SummaryGroups): boolean {
  return SUMMARY_GROUPS.every((kind) => groups[kind].count === 0);
}

export function summaryEvent(
  channel: { readonly id: string; readonly accountId: string; readonly label: string | null },
  { names, dueAt, ...groups }: SummaryGroups & { readonly names: number; readonly dueAt: Date },
  now: Date,
): DomainEvent<SummaryData> {
  const { id: channel_id, accountId, label } = channel;
  const about = { channel_id, label, names, due_at: dueAt.toISOString() };
  return createDomainEvent('watchlist.summary', accountId, now, { ...about, ...groups });
}
