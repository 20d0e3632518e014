import ical, { ICalAlarmType, ICalCalendarMethod } from 'ical-generator';
import type { DashboardLinks } from '../../kernel/dashboard-links.js';
import type { CalendarDate } from '../domain/calendar.js';

const REFRESH_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/**
 * Writes the dates as iCalendar (RFC 5545). Each DTSTAMP is the time of the last change. The text therefore stays the
 * same until a date changes.
 */
export function toCalendarFile(dates: readonly CalendarDate[], dashboard: DashboardLinks | null): string {
  const calendar = ical({
    name: 'Namewatch',
    prodId: { company: 'Namewatch', product: 'Namewatch', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: REFRESH_SECONDS,
  });
  for (const { uid, domain, summary, lines, start, end, isAllDay, remindDays, updatedAt } of dates) {
    calendar.createEvent({
      id: uid,
      stamp: updatedAt,
      summary,
      start,
      ...(end > start && { end }),
      allDay: isAllDay,
      ...(lines.length > 0 && { description: lines.join('\n') }),
      ...(dashboard && { url: dashboard.toName(domain) }),
      alarms: remindDays.map((days) => ({
        type: ICalAlarmType.display,
        trigger: days * DAY_SECONDS,
        description: summary,
      })),
    });
  }
  return calendar.toString();
}
