import { describe, expect, it } from '@jest/globals';
import { nearness } from '../../../ui/src/components/time-text.js';
import { toDayStrip } from '../../../ui/src/pictures/day-strip.js';
import { toHourBars } from '../../../ui/src/pictures/hour-bars.js';
import { monthName, toMonthBars } from '../../../ui/src/pictures/month-bars.js';
import { toYearLine } from '../../../ui/src/pictures/year-line.js';
import { countOf, heightsOf, levelOf, placeBetween, shortCount } from '../../../ui/src/pictures/scales.js';

describe('the scales of the charts', () => {
  it('give the largest value full height, zero no height, and small values a minimum height', () => {
    expect(heightsOf([5_000, 2_500, 1, 0], 100)).toEqual([100, 50, 2, 0]);
    expect(heightsOf([0, 0], 100)).toEqual([0, 0]);
    expect(heightsOf([], 100)).toEqual([]);
  });

  it('place a moment in proportion between two others, and moments outside at the nearer end', () => {
    expect([0, 5, 10, -3, 40].map((at) => placeBetween(at, 0, 10))).toEqual([0, 0.5, 1, 0, 1]);
    expect(placeBetween(5, 10, 10)).toBe(0);
  });

  it.each([
    [0, '0', '0 names'],
    [1, '1', '1 name'],
    [950, '950', '950 names'],
    [5_000, '5k', '5,000 names'],
    [12_345, '12.3k', '12,345 names'],
    [1_000_000, '1M', '1,000,000 names'],
  ])('write %d short as %s and in full as "%s"', (count, short, whole) => {
    expect([shortCount(count), countOf(count, 'name')]).toEqual([short, whole]);
  });

  it('have four levels of colour for counts, and level 0 for zero', () => {
    expect([0, 1, 25, 26, 100, 400].map((count) => levelOf(count, 100))).toEqual([0, 1, 1, 2, 4, 4]);
    expect(levelOf(1, 1)).toBe(4);
  });
});

describe('the one-year line of a name’s phases', () => {
  const now = new Date('2026-11-21T00:00:00Z');

  it('shows phases to scale from the start of the year, and describes the phases in words', () => {
    const phases = [
      { phase: 'registered', since: '2024-01-01T00:00:00Z' },
      { phase: 'registered', since: '2026-02-01T00:00:00Z' }, // renewed
      { phase: 'expiring', since: '2026-06-29T12:00:00Z' },
      { phase: 'registered', since: '2026-09-09T00:00:00Z' },
    ];
    const line = toYearLine(phases, now);
    expect(line?.parts.map(({ phase, from, to }) => [phase, from.toFixed(2), to.toFixed(2)])).toEqual([
      ['registered', '0.00', '0.60'],
      ['expiring', '0.60', '0.80'],
      ['registered', '0.80', '1.00'],
    ]);
    expect(line?.text).toBe('Registered since 1 Jan 2024, Expiring since 29 Jun 2026, Registered since 9 Sept 2026');
  });

  it('is left out if the phase has not changed', () => {
    expect(toYearLine([], now)).toBeNull();
    expect(toYearLine([{ phase: 'registered', since: '2026-02-01T00:00:00Z' }], now)).toBeNull();
  });
});

describe('the bars of a registry’s last 24 hours', () => {
  const now = new Date('2026-11-21T02:20:00Z');
  const hours = [
    { hour: '2026-11-20T01:00:00.000Z', answers: 9, errors: 9, average_ms: 900 }, // longer ago
    { hour: '2026-11-20T03:00:00.000Z', answers: 1, errors: 0, average_ms: 100 },
    { hour: '2026-11-21T02:00:00.000Z', answers: 2, errors: 1, average_ms: 200 },
  ];

  it('show the query duration, mark hours with errors, and are empty for hours without queries', () => {
    const bars = toHourBars(hours, now, 24)?.bars ?? [];
    expect(bars).toHaveLength(24);
    expect(bars.flatMap(({ height, hasErrors }, at) => (height > 0 ? [[at, height, hasErrors]] : []))).toEqual([
      [0, 12, false],
      [23, 24, true],
    ]);
    expect(bars[1]?.text).toMatch(/: not asked$/);
  });

  it('have a text with the numbers of answers and errors and the average duration', () => {
    expect(toHourBars(hours, now, 24)?.text).toBe('3 answers, 1 error, 175 ms on average');
    expect(toHourBars([], now, 24)).toBeNull();
  });
});

describe('the bars of names expiring per month', () => {
  const bars = toMonthBars(
    [
      { month: '2026-12', own: 3, other: 1 },
      { month: '2027-01', own: 0, other: 0 },
      { month: '2027-02', own: 1, other: 0 },
    ],
    100,
  );

  it('have a text with the month, the names that expire and how many are yours', () => {
    expect(bars.map(({ text }) => text)).toEqual([
      'December 2026: 4 names expire, 3 yours',
      'January 2027: nothing expires',
      'February 2027: 1 name expires, all yours',
    ]);
  });

  it('have heights to scale, also for the account’s own names, and show the year at January', () => {
    expect(bars.map(({ label, year, height, ownHeight }) => [label, year, height, ownHeight])).toEqual([
      ['Dec', null, 100, 75],
      ['Jan', '2027', 0, 0],
      ['Feb', null, 25, 25],
    ]);
  });

  it('name the month 2026-01 "January 2026"', () => {
    expect(monthName('2026-01')).toBe('January 2026');
  });
});

describe('the colour of an expiry on 22 November', () => {
  it.each([
    ['2026-11-21T23:59:59Z', 'past'],
    ['2026-11-22T12:00:01Z', 'week'],
    ['2026-11-29T23:00:00Z', 'week'],
    ['2026-11-30T00:00:00Z', 'month'],
    ['2026-12-22T23:00:00Z', 'month'],
    ['2026-12-23T00:00:00Z', 'far'],
  ])('for the expiry time %s is that of "%s"', (at, near) => {
    expect(nearness(new Date(at), new Date('2026-11-22T12:00:00Z'))).toBe(near);
  });
});

describe('the chart of deliveries per day', () => {
  const strip = toDayStrip(
    [
      { day: '2026-11-30', delivered: 3, failed: 1, other: 0 },
      { day: '2026-12-01', delivered: 0, failed: 0, other: 0 },
      { day: '2026-12-02', delivered: 0, failed: 0, other: 1 },
    ],
    40,
  );

  it('describes in words the deliveries of each day and the totals', () => {
    expect(strip.columns.map(({ text }) => text)).toEqual([
      '30 Nov: 3 deliveries arrived, 1 failed',
      '1 Dec: nothing sent',
      '2 Dec: 0 deliveries arrived, 0 failed, 1 waiting or held',
    ]);
    expect(strip.text).toBe('3 deliveries arrived, 1 failed, 1 waiting or held');
  });

  it('stacks failed deliveries on top of successful ones, and leaves days without deliveries empty', () => {
    expect(strip.columns[0]?.parts).toEqual([
      { kind: 'delivered', y: 10, height: 30 },
      { kind: 'failed', y: 0, height: 10 },
    ]);
    expect(strip.columns[1]?.parts).toEqual([]);
  });
});
