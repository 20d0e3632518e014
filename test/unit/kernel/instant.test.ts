import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseDay, parseInstant } from '../../../src/kernel/instant.js';

describe('an instant', () => {
  it.each([
    ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T01:02+01:00', '2027-01-31T00:02:00.000Z'],
    ['2028-02-29T23:59:59.123456789-12:00', '2028-03-01T11:59:59.123Z'],
  ])('is read from %s as %s', (text, instant) => expect(parseInstant(text)?.toISOString()).toBe(instant));

  it.each([
    '2027-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-00-10T00:00:00Z',
    '2027-01-00T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2027-01-01T00:60:00Z',
    '2027-01-01T00:00:60Z',
    '2027-01-01T00Z',
    '2027-01-01T00:00:00',
    '2027-01-01',
    '2027-01-01T00:00:00+24:00',
    '2027-01-01T00:00:00+00:60',
    '+002027-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    ' 2027-01-01T00:00:00Z',
    '',
  ])('cannot be read from %j', (text) => expect(parseInstant(text)).toBeNull());

  it('is never read as another day than the one in the text', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999 }), two(14), two(33), (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${month}-${day}T12:00:00.000Z`;
        const instant = parseInstant(text);
        if (instant !== null) expect(instant.toISOString()).toBe(text);
        expect(parseDay(text.slice(0, 10))?.toISOString().slice(0, 10)).toBe(instant?.toISOString().slice(0, 10));
      }),
      { numRuns: 500 },
    );
  });
});
