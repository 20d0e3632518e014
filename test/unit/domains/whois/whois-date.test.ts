import { describe, expect, it } from '@jest/globals';
import { orderIn, whoisDate } from '../../../../src/domains/infrastructure/whois/whois-date.js';

const iso = (text: string, order: 'day-first' | 'month-first' = 'day-first') =>
  whoisDate(text, order)?.toISOString() ?? null;

describe('a date of a WHOIS server', () => {
  it.each([
    ['2027-06-01T10:20:30Z', '2027-06-01T10:20:30.000Z'],
    ['2027-06-01T10:20:30.5Z', '2027-06-01T10:20:30.500Z'],
    ['2027-06-01T10:20:30+02:00', '2027-06-01T08:20:30.000Z'],
    ['2027-06-01 13:20:30+03', '2027-06-01T10:20:30.000Z'],
    ['2027-06-01 18:20:30 (UTC+8)', '2027-06-01T10:20:30.000Z'],
    ['2027-06-01 10:20:30 (GMT+0:00)', '2027-06-01T10:20:30.000Z'],
    ['2027/06/01 19:20:30 (JST)', '2027-06-01T10:20:30.000Z'],
    ['2027-06-01 10:20:30 GMT', '2027-06-01T10:20:30.000Z'],
    ['2027-06-01', '2027-06-01T00:00:00.000Z'],
    ['2027/06/01', '2027-06-01T00:00:00.000Z'],
    ['2027. 06. 01.', '2027-06-01T00:00:00.000Z'],
    ['2027-Jun-01.', '2027-06-01T00:00:00.000Z'],
    ['20270601', '2027-06-01T00:00:00.000Z'],
    ['20270601 #12345', '2027-06-01T00:00:00.000Z'],
    ['1.6.2027 10:20:30', '2027-06-01T10:20:30.000Z'],
    ['01.06.2027', '2027-06-01T00:00:00.000Z'],
    ['01/06/2027 10:20:30', '2027-06-01T10:20:30.000Z'],
    ['01-06-2027', '2027-06-01T00:00:00.000Z'],
    ['01-Jun-2027', '2027-06-01T00:00:00.000Z'],
    ['01-jun-2027 10:20:30 UTC', '2027-06-01T10:20:30.000Z'],
    ['15-abr-2027', '2027-04-15T00:00:00.000Z'],
    ['1 June 2027', '2027-06-01T00:00:00.000Z'],
    ['1st June 2027 at 10:20:30.000', '2027-06-01T10:20:30.000Z'],
    ['June  1 2027', '2027-06-01T00:00:00.000Z'],
    ['Tue Jun  1 2027', '2027-06-01T00:00:00.000Z'],
    ['Tue Jun 01 10:20:30 GMT 2027', '2027-06-01T10:20:30.000Z'],
    ['before Jun-1996', null],
    ['2027-02-30', null],
    ['31.02.2027', null],
    ['2027-13-01', null],
    ['2027-06-01T25:00:00Z', null],
    ['0000-00-00', null],
    ['0001-01-01T00:00:00Z', null],
    ['tomorrow', null],
    ['', null],
  ])('%s', (text, instant) => {
    expect(iso(text)).toBe(instant);
  });

  it('has its month first only where the registry writes so, or where it cannot be otherwise', () => {
    expect(iso('03/04/2027')).toBe('2027-04-03T00:00:00.000Z');
    expect(iso('03/04/2027', 'month-first')).toBe('2027-03-04T00:00:00.000Z');
    expect(iso('12/31/2027')).toBe('2027-12-31T00:00:00.000Z');
    expect(iso('31/12/2027', 'month-first')).toBe('2027-12-31T00:00:00.000Z');
  });

  it('may give the order away for the others', () => {
    expect(orderIn(['created: 03/04/2027', 'changed: 27/05/2027'])).toBe('day-first');
    expect(orderIn(['created: 03/04/2027', 'changed: 05/27/2027'])).toBe('month-first');
    expect(orderIn(['complete date format : DD/MM/YYYY'])).toBe('day-first');
    expect(orderIn(['created: 03/04/2027'])).toBeNull();
  });
});
