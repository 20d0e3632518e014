import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeEvent } from '../../../../src/notifications/domain/event-text.js';
import { NotificationEvent } from '../../../../src/notifications/domain/notification-event.js';
import {
  isTimeZone,
  nextSummaryAt,
  SUMMARY_GROUPS,
  summaryEvent,
  type SummaryGroups,
  type SummarySchedule,
} from '../../../../src/notifications/domain/summary.js';
import { DAY } from '../../../../src/kernel/clock.js';
import { MONDAY } from '../../../support/builders/notification-events.js';

const WEEKLY: SummarySchedule = { every: 'week', on: 1, at: '08:00', zone: 'Europe/Berlin', send_empty: false };
const next = (changes: Partial<SummarySchedule>, later: string) =>
  nextSummaryAt({ ...WEEKLY, ...changes }, new Date(later)).toISOString();

describe('the next summary', () => {
  it.each<[string, Partial<SummarySchedule>, string, string]>([
    ['comes on the chosen day of the week', {}, '2026-11-26T12:00:00Z', '2026-11-30T07:00:00.000Z'],
    ['comes today if its time of day is still to come', {}, '2026-11-30T06:59:59Z', '2026-11-30T07:00:00.000Z'],
    ['comes a week later if its time of day has just come', {}, '2026-11-30T07:00:00Z', '2026-12-07T07:00:00.000Z'],
    ['keeps its local time when daylight saving time begins', {}, '2027-03-28T12:00:00Z', '2027-03-29T06:00:00.000Z'],
    [
      'comes on the chosen day of the month',
      { every: 'month', on: 15 },
      '2026-11-26T12:00:00Z',
      '2026-12-15T07:00:00.000Z',
    ],
    [
      'comes on the last day of a month that has no such day',
      { every: 'month', on: 31 },
      '2027-02-01T12:00:00Z',
      '2027-02-28T07:00:00.000Z',
    ],
    [
      'comes on a day on which the clocks skip its time',
      { on: 7, at: '02:30' },
      '2027-03-27T12:00:00Z',
      '2027-03-28T01:30:00.000Z',
    ],
    [
      'comes at the chosen day and time in its own time zone',
      { zone: 'Pacific/Auckland' },
      '2026-11-26T12:00:00Z',
      '2026-11-29T19:00:00.000Z',
    ],
  ])('%s', (_, changes, later, expected) => {
    expect(next(changes, later)).toBe(expected);
  });

  it('comes once on a day that has its time twice because the clocks go back', () => {
    const first = next({ on: 7, at: '02:30' }, '2026-10-24T12:00:00Z'); // the clocks go back on the 25th
    expect(first).toMatch(/^2026-10-25T0[01]:30/);
    expect(next({ on: 7, at: '02:30' }, first)).toBe('2026-11-01T01:30:00.000Z');
  });

  it('uses UTC if its time zone is no longer known', () => {
    expect(next({ zone: 'Nowhere/Lost' }, '2026-11-26T12:00:00Z')).toBe('2026-11-30T08:00:00.000Z');
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Nowhere/Lost'), isTimeZone('')]).toEqual([true, false, false]);
  });

  it('is always in the future, by at most a week or month plus an hour', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Cairo');
    const two = (n: number) => String(n).padStart(2, '0');
    const schedules = fc.record({
      every: fc.constantFrom<SummarySchedule['every']>('week', 'month'),
      on: fc.integer({ min: 1, max: 7 }),
      at: fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })).map((t) => t.map(two).join(':')),
      zone: zones,
      send_empty: fc.boolean(),
    });
    const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2036-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(schedules, times, (schedule, later) => {
        const distance = nextSummaryAt(schedule, later).getTime() - later.getTime();
        expect(distance).toBeGreaterThan(0);
        expect(distance).toBeLessThanOrEqual((schedule.every === 'week' ? 7 : 31) * DAY + DAY / 24);
      }),
    );
  });
});

describe('the text of a summary', () => {
  const NONE = { count: 0, domains: [] };
  const QUIET = Object.fromEntries(SUMMARY_GROUPS.map((group) => [group, NONE])) as unknown as SummaryGroups;
  const textOf = (groups: Partial<SummaryGroups>, label: string | null = null) => {
    const summary = { ...QUIET, ...groups, names: 300, dueAt: MONDAY };
    const event = summaryEvent({ id: 'nc_1', accountId: 'acc_1', label }, summary, MONDAY);
    return describeEvent(NotificationEvent.fromDomainEvent(event));
  };

  it('counts the names that need action, and lists the first of them', () => {
    const { headline, facts, entry } = textOf({
      in_grace: { count: 2, domains: ['a.example', 'b.example'] },
      expires_within_30_days: { count: 14, domains: ['c.example'] },
      failing: { count: 1, domains: ['d.example'] },
    });
    expect(headline).toBe('Your names: 2 in grace, 14 expire within 30 days, 1 failing');
    expect(facts).toEqual([
      { label: 'In grace: renew today', value: 'a.example, b.example' },
      { label: 'Expire within 30 days', value: 'c.example, 13 more' },
      { label: 'Cannot be checked', value: 'd.example' },
      { label: 'Watched', value: '300 names' },
    ]);
    expect(entry).toBeNull();
  });

  it('says that there is nothing to do if no name needs action', () => {
    expect(textOf({}).headline).toBe('Your names: nothing to do, and none expires within 30 days');
  });
});
