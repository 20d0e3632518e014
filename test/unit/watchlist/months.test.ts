import { describe, expect, it } from '@jest/globals';
import { comingMonths, intersect, monthSpan } from '../../../src/watchlist/domain/months.js';

const at = (text: string) => new Date(text);

describe('the months of the expiry overview', () => {
  it('begin with the current month in UTC, and are twelve in all', () => {
    const months = comingMonths(at('2026-11-30T23:30:00-02:00'));
    expect([months[0], months[1], months.at(-1), months.length]).toEqual(['2026-12', '2027-01', '2027-11', 12]);
  });

  it.each([
    ['2026-12', '2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['2028-02', '2028-02-01T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
    ['0001-01', '0001-01-01T00:00:00.000Z', '0001-01-31T23:59:59.999Z'],
    ['9999-12', '9999-12-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('have the right first and last millisecond: %s lasts from %s to %s', (month, from, to) => {
    expect(monthSpan(month)).toEqual([at(from), at(to)]);
  });
});

describe('the intersection of time spans', () => {
  const [december, january] = [monthSpan('2026-12'), monthSpan('2027-01')];

  it('contains the moments that are in all of the spans', () => {
    expect(intersect([])).toBeUndefined();
    expect(intersect([december])).toEqual(december);
    expect(intersect([december, [at('2026-12-20T00:00:00Z'), at('2027-02-01T00:00:00Z')]])).toEqual([
      at('2026-12-20T00:00:00Z'),
      december[1],
    ]);
  });

  it('ends before it begins if the spans do not overlap', () => {
    const [from, to] = intersect([december, january]) ?? december;
    expect(to.getTime()).toBeLessThan(from.getTime());
  });
});
