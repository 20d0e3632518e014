import { describe, expect, it } from '@jest/globals';
import { blockSeconds } from '../../../../src/domains/rdap/rdap-response-parser.js';

describe('the block after a Retry-After header', () => {
  const now = new Date('2026-11-21T12:00:00Z');

  it.each([
    ['30', 30],
    [' 120 ', 120],
    ['1.5', 2],
    ['86400', 86_400],
    ['86401', 86_400],
    ['999999999999999999999', 86_400],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30],
    ['Mon, 30 Nov 2026 12:00:00 GMT', 86_400],
  ])('%j lasts %d seconds', (header, seconds) => {
    expect(blockSeconds(header, now)).toBe(seconds);
  });

  it.each([
    null,
    '',
    '0',
    'Sat, 21 Nov 2026 11:00:00 GMT',
    'Sat, 21 Nov 2026 12:00:00 GMT',
    '-5',
    '1e3',
    '30 seconds',
    'soon',
    'NaN',
    '2026-11-21T12:00:30Z',
    'Sat, 99 Nov 2026 12:00:30 GMT',
  ])('%j counts as absent', (header) => {
    expect(blockSeconds(header, now)).toBeNull();
  });
});
