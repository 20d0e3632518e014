import { describe, expect, it } from '@jest/globals';
import { parseRetryAfterMs } from '../../../../src/platform/outbound/retry-after.js';

const now = new Date('2026-11-23T09:00:00Z');

describe('a Retry-After header', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Mon, 23 Nov 2026 09:02:00 GMT', 120_000],
    ['Monday, 23-Nov-26 09:02:00 GMT', 120_000],
    ['Mon, 23 Nov 2026 08:00:00 GMT', 0],
  ])('is understood: %j means a wait of %i ms', (header, milliseconds) => {
    expect(parseRetryAfterMs(header, now)).toBe(milliseconds);
  });

  it.each([undefined, '', 'soon', '-5', '1e3', '5 minutes', '2026-11-23', '0x10', ['1', '2'], 'NaN', 'Mon, x GMT'])(
    'counts as absent with the value %j',
    (header) => {
      expect(parseRetryAfterMs(header, now)).toBeNull();
    },
  );
});
