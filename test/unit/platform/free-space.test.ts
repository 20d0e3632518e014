import { describe, expect, it } from '@jest/globals';
import { judgeFreeSpace } from '../../../src/platform/diagnostics.js';

const MIB = 1_024 ** 2;

describe('the disk of the embedded PostgreSQL', () => {
  it.each([
    ['with room says how much', 2_048, { ok: true, detail: ', 2048 MB free' }],
    [
      'with little room warns',
      1_023,
      { ok: true, detail: expect.stringContaining('warning: its disk has 1023 MB free') },
    ],
    ['with the last files of the log of transactions still warns', 64, { ok: true }],
    [
      'that is full fails the check',
      63,
      { ok: false, detail: expect.stringContaining('its disk has only 63 MB free') },
    ],
    ['without a byte fails the check', 0, { ok: false }],
  ])('%s', (_what, free, judged) => {
    expect(judgeFreeSpace(free * MIB)).toMatchObject(judged);
  });
});
