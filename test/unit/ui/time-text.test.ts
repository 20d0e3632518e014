import { describe, expect, it } from '@jest/globals';
import { describeDay, describeDistance } from '../../../ui/src/components/time-text.js';

const NOON = new Date('2026-11-28T12:00:00.000Z');
const DAY = 86_400_000;
const inDays = (days: number) => describeDistance(new Date(NOON.getTime() + days * DAY), NOON);

describe('a date on the dashboard', () => {
  it.each([
    [29.98, 'in 30 days'],
    [30.02, 'in 30 days'],
    [45, 'in 45 days'],
    [1, 'tomorrow'],
    [-1.2, 'yesterday'],
    [-9, '9 days ago'],
    [61, 'in 2 months'],
    [363, 'in 12 months'],
    [400, 'in 1 year'],
    [0.1, 'in 2 hours'],
  ])('is shown as a distance: %d days from now is "%s"', (days, text) => {
    expect(inDays(days)).toBe(text);
  });

  it('is shown as the day in UTC, also for the last second of that day', () => {
    expect(describeDay(new Date('2026-12-28T23:59:59.000Z'))).toBe('28 Dec 2026');
  });
});
