import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRegistryDate } from '../../../../src/domains/answer-text/registry-date.js';

describe('a registry date', () => {
  it.each([
    ['2028-09-14T04:00:00Z', '2028-09-14T04:00:00.000Z'],
    ['2028-09-14t04:00:00z', '2028-09-14T04:00:00.000Z'],
    ['2024-11-12T19:15:55.283Z', '2024-11-12T19:15:55.283Z'],
    ['2024-09-11T23:59:59.0Z', '2024-09-11T23:59:59.000Z'],
    ['2026-01-01T00:30:00+02:00', '2025-12-31T22:30:00.000Z'],
    ['2026-01-01T00:30:00-0500', '2026-01-01T05:30:00.000Z'],
    ['2026-01-01T00:30:00+0000', '2026-01-01T00:30:00.000Z'],
    ['2027-06-03T23:00:00-07:00Z', '2027-06-04T06:00:00.000Z'],
    ['2027-06-03 00:00:00 +0800 CST', '2027-06-02T16:00:00.000Z'],
    ['2027-06-03 00:00:00 +0000 (UTC)', '2027-06-03T00:00:00.000Z'],
    ['2029-08-18T13:19:55', '2029-08-18T13:19:55.000Z'],
    ['2026-01-01 00:30:00', '2026-01-01T00:30:00.000Z'],
    ['2026-05-07', '2026-05-07T00:00:00.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
    [' 2026-05-07T00:00:00.123456789Z ', '2026-05-07T00:00:00.123Z'],
  ])('is read from %s as %s', (text, instant) => {
    expect(parseRegistryDate(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '',
    'never',
    '2026-02-30T00:00:00Z',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '01/02/2026',
    '1 January 2026',
    '2026',
    '0000-00-00',
    '0050-01-01',
    '0001-01-01T00:00:00Z',
    '1900-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:00+01:00',
    '1980-01-01',
    '1767225600',

    '9999-12-31T23:59:59-05:00',
    '2026-01-01T00:00:00+25:00',
    '2026-01-01T00:00:00+02:75',
    '2026-01-01T00Z',
    '9999999-01-01',
  ])('is not found in this text: %j', (text) => {
    expect(parseRegistryDate(text)).toBeNull();
  });

  it.each([[null], [undefined], [1_767_225_600], [{}], [['2026-01-01']]])(
    'is not found in a value that is no text: %j',
    (value) => {
      expect(parseRegistryDate(value)).toBeNull();
    },
  );

  it('is the original instant when its ISO form is read', () => {
    const instants = fc.date({ min: new Date('1985-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    fc.assert(fc.property(instants, (date) => parseRegistryDate(date.toISOString())?.getTime() === date.getTime()));
  });
});
