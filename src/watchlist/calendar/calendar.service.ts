import { Injectable } from '@nestjs/common';
import ical, { ICalAlarmType, ICalCalendarMethod } from 'ical-generator';
import { MailConfig } from '../../config/sections.js';
import { ListedDrops } from '../../domains/index.js';
import { DomainName, forecastExpiry } from '../../domains/language.js';
import { after, Clock, DAY, SECOND } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { findDrift } from '../domain/drift.js';
import { type CalendarDate, toCalendarDates, type DatedEntry } from '../domain/calendar.js';
import type { EntryDetails } from '../entries/entry-reader.repository.js';
import { CalendarEntryReader, type CalendarFilter } from './calendar-entries.repository.js';

/** How far back the calendar shows expiries. After this time, an expired name has been renewed or deleted. */
const PAST_DAYS = 90;
const COMING_DAYS = 400;

@Injectable()
export class CalendarService {
  constructor(
    private readonly entries: CalendarEntryReader,
    private readonly listedDrops: ListedDrops,
    private readonly clock: Clock,
    private readonly config: MailConfig,
  ) {}

  async readFile(accountId: string, filter: CalendarFilter): Promise<string> {
    const now = this.clock.now();
    const span = { from: after(now, -PAST_DAYS * DAY), until: after(now, COMING_DAYS * DAY), now };
    const entries = await this.entries.find(accountId, filter, span);
    const dates = entries.flatMap((entry) => toCalendarDates(this.toDatedEntry(entry, now), now));
    return toCalendarFile(dates, DashboardLinks.at(this.config));
  }

  private toDatedEntry(entry: EntryDetails, now: Date): DatedEntry {
    const { id, domain, status, phase, expires_at: expiresAt, updated_at: updatedAt, settings, background } = entry;
    const facts = background?.facts;
    const forecast =
      facts && forecastExpiry(DomainName.restore(domain), facts, phase, now, this.listedDrops.find(domain));
    return {
      ...settings,
      ...{ id, domain, status, phase, expiresAt, updatedAt },
      failing: entry.failing_since !== null,
      answered: entry.last_checked_at !== null,
      drift: findDrift(settings.expected, background?.record ?? null).length > 0,
      autoRenewedOn: forecast?.autoRenewedOn ?? null,
      dropWindow: forecast?.dropWindow ?? null,
    };
  }
}

const REFRESH_SECONDS = 3_600;

/** Writes the dates as an iCalendar file (RFC 5545). */
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
      // The last change, not the current time, so that the file does not change at every request.
      stamp: updatedAt,
      summary,
      start,
      ...(end > start && { end }),
      allDay: isAllDay,
      ...(lines.length > 0 && { description: lines.join('\n') }),
      ...(dashboard && { url: dashboard.toName(domain) }),
      alarms: remindDays.map((days) => ({
        type: ICalAlarmType.display,
        trigger: (days * DAY) / SECOND,
        description: summary,
      })),
    });
  }
  return calendar.toString();
}
