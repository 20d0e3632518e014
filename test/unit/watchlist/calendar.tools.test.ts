import { describe, expect, it } from '@jest/globals';
import { ICAL } from '../../../tools/ical.js';
import { DashboardLinks } from '../../../src/kernel/dashboard-links.js';
import { toCalendarFile } from '../../../src/watchlist/calendar/calendar.service.js';
import { type DatedEntry, toCalendarDates } from '../../../src/watchlist/domain/calendar.js';
import { HOSTILE_TEXTS } from '../../support/builders/hostile-events.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const ENTRY: DatedEntry = {
  id: 'wl_1',
  domain: 'shop.example',
  ...{ status: 'registered', phase: 'registered', paused: false, failing: false, answered: true, drift: false },
  expiresAt: new Date('2027-01-31T13:47:00Z'),
  autoRenewedOn: null,
  dropWindow: null,
  renewal: null,
  remindDays: [30, 7],
  purpose: 'own',
  tags: ['brand'],
  note: null,
  updatedAt: new Date('2026-11-01T00:00:00Z'),
};
const datesOf = (changes: Partial<DatedEntry>) => toCalendarDates({ ...ENTRY, ...changes }, NOW);
const fileOf = (...entries: Partial<DatedEntry>[]) =>
  toCalendarFile(entries.flatMap(datesOf), DashboardLinks.at({ publicUrl: 'https://namewatch.example', ui: true }));
/** Read by a parser that is not the library which wrote it. */
const read = (file: string) => {
  const calendar = new ICAL.Component(ICAL.parse(file) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
};
const values = (event: InstanceType<typeof ICAL.Event>, name: string) =>
  event.component.getAllSubcomponents('valarm').map((alarm) => String(alarm.getFirstPropertyValue(name)));

describe('the calendar of watched names', () => {
  it('shows an expiry at the exact time in UTC, with an alarm for each reminder', () => {
    const [event] = read(fileOf({}));
    expect(event?.uid).toBe('wl_1.expiry@namewatch');
    expect(event?.summary).toBe('shop.example expires');
    expect(event?.startDate.zone.tzid).toBe('UTC');
    expect(event?.startDate.toJSDate()).toEqual(ENTRY.expiresAt);
    expect(event?.description).toBe('Tags: brand');
    expect(event && values(event, 'trigger')).toEqual(['-P30D', '-P7D']);
    expect(String(event?.component.getFirstPropertyValue('url'))).toBe(
      'https://namewatch.example/ui/names/shop.example',
    );
  });

  it('keeps an event’s id when its date moves, and stays identical if nothing changes', () => {
    const later = { expiresAt: new Date('2028-01-31T13:47:00Z') };
    expect(read(fileOf(later))[0]?.uid).toBe(read(fileOf({}))[0]?.uid);
    expect(fileOf({})).toBe(fileOf({}));
  });

  it('shows the renewal date set by the user only if no expiry is published', () => {
    const [event] = read(fileOf({ expiresAt: null, renewal: { on: '2027-03-01', note: 'Invoice' } }));
    expect(event?.startDate.isDate).toBe(true);
    expect([event?.startDate.toString(), event?.endDate.toString()]).toEqual(['2027-03-01', '2027-03-02']);
    expect(event?.description).toBe('Invoice\nTags: brand');
    expect(read(fileOf({ renewal: { on: '2027-03-01', note: null } }))[0]?.summary).toBe('shop.example expires');
  });

  it('asks today to renew a name in its grace period, or to restore one in redemption', () => {
    const [grace] = read(fileOf({ phase: 'expired_grace', expiresAt: new Date('2026-11-20T13:00:00Z') }));
    expect(grace?.summary).toBe('shop.example is in its grace period: renew it');
    expect([grace?.startDate.toString(), grace?.endDate.toString()]).toEqual(['2026-11-20', '2026-11-27']);
    const [restore] = read(fileOf({ phase: 'redemption' }));
    expect(restore?.summary).toBe('shop.example is in redemption: restore it');
  });

  it.each<[string, Partial<DatedEntry>]>([
    ['was lost: anyone can register it', { status: 'available', phase: 'available' }],
    ['is about to be deleted', { status: 'pending_delete', phase: 'pending_delete' }],
    ['is available: register it', { status: 'available', phase: 'available', purpose: 'acquire' }],
  ])('says today, unless the name is paused, that the name %s', (what, changes) => {
    const [event, ...others] = read(fileOf(changes));
    expect([event?.summary, event?.startDate.toString(), others]).toEqual([`shop.example ${what}`, '2026-11-26', []]);
    expect(datesOf({ ...changes, paused: true })).toEqual([]);
  });

  it('shows for a name being deleted when it may become available, not when it expires', () => {
    const dropWindow = { earliest: new Date('2026-12-01T04:00:00Z'), latest: new Date('2026-12-02T04:00:00Z') };
    const [drop, ...others] = read(fileOf({ phase: 'pending_delete', purpose: 'acquire', dropWindow }));
    expect(others).toEqual([]);
    expect(drop?.summary).toBe('shop.example may become available');
    expect(drop?.endDate.toJSDate()).toEqual(dropWindow.latest);
    expect(datesOf({ phase: 'available' })).toEqual([]);
  });

  it.each(Object.entries(HOSTILE_TEXTS))(
    'gets no extra events, alarms or attachments from hostile notes and tags: %s',
    (_, text) => {
      const hostile = `${text}\r\nEND:VEVENT\r\nBEGIN:VALARM\nATTACH:https://evil.example/`;
      const file = fileOf({
        note: hostile,
        tags: [hostile],
        renewal: { on: '2027-03-01', note: hostile },
        expiresAt: null,
      });
      const events = read(file);
      expect(events).toHaveLength(1);
      expect(events[0]?.component.getAllSubcomponents('valarm')).toHaveLength(2);
      expect(file).not.toMatch(/^(ATTACH|BEGIN:VALARM\nATTACH)/m);
      expect(Math.max(...file.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
      expect(file.replaceAll('\r\n', '')).not.toMatch(/\p{Cc}/u);
    },
  );
});
