import { describe, expect, it } from '@jest/globals';
import { judgeFreeSpace } from '../../../src/platform/diagnostics.js';

const MIB = 1_024 ** 2;

describe('the disk check of the embedded PostgreSQL', () => {
  it.each([
    ['passes and shows the free space if 2048 MB are free', 2_048, { ok: true, detail: ', 2048 MB free' }],
    [
      'passes with a warning if 1023 MB are free',
      1_023,
      { ok: true, detail: expect.stringContaining('warning: its disk has 1023 MB free') },
    ],
    ['still passes if 64 MB are free', 64, { ok: true }],
    [
      'fails and shows the free space if 63 MB are free',
      63,
      { ok: false, detail: expect.stringContaining('its disk has only 63 MB free') },
    ],
    ['fails if no space is free', 0, { ok: false }],
  ])('%s', (_what, free, judged) => {
    expect(judgeFreeSpace(free * MIB)).toMatchObject(judged);
  });
});
