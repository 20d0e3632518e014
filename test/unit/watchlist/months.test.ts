import { describe, expect, it } from '@jest/globals';
import { comingMonths, intersect, monthSpan } from '../../../src/watchlist/domain/months.js';

const at = (text: string) => new Date(text);

describe('the months of a year', () => {
  it('begin with the current month in UTC, and continue into the next year', () => {
    const months = comingMonths(at('2026-11-30T23:30:00-02:00'));
    expect([months[0], months[1], months.at(-1), months.length]).toEqual(['2026-12', '2027-01', '2027-11', 12]);
  });

  it.each([
    ['2026-12', '2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
    ['2028-02', '2028-02-01T00:00:00.000Z', '2028-02-29T23:59:59.999Z'],
    ['0001-01', '0001-01-01T00:00:00.000Z', '0001-01-31T23:59:59.999Z'],
    ['9999-12', '9999-12-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('include all moments of %s in that month, and no others', (month, from, to) => {
    expect(monthSpan(month)).toEqual([at(from), at(to)]);
  });
});

describe('spans of time', () => {
  const [december, january] = [monthSpan('2026-12'), monthSpan('2027-01')];

  it('intersect in the moments that all of them contain', () => {
    expect(intersect([])).toBeUndefined();
    expect(intersect([december])).toEqual(december);
    expect(intersect([december, [at('2026-12-20T00:00:00Z'), at('2027-02-01T00:00:00Z')]])).toEqual([
      at('2026-12-20T00:00:00Z'),
      december[1],
    ]);
  });

  it('without overlap have an intersection that ends before it begins', () => {
    const [from, to] = intersect([december, january]) ?? december;
    expect(to.getTime()).toBeLessThan(from.getTime());
  });
});
