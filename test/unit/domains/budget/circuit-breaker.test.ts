import { describe, expect, it } from '@jest/globals';
import { breakerState, broken, opensAfter } from '../../../../src/domains/domain/circuit-breaker.js';
import { after, MINUTE, SECOND } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');

describe('a circuit breaker', () => {
  it('opens after ten failures in a row', () => {
    expect([9, 10, 11].map(opensAfter)).toEqual([false, true, true]);
  });

  it('lets a question through after a pause that doubles, up to five minutes', () => {
    let breakage = broken(null, now);
    const pauses = Array.from({ length: 6 }, () => {
      const pause = (breakage.retryAt.getTime() - now.getTime()) / SECOND;
      breakage = broken(breakage, now);
      return pause;
    });
    expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it('remembers since when', () => {
    const later = broken(broken(null, now), after(now, MINUTE));
    expect(later).toMatchObject({ since: now, openings: 2 });
  });

  it('is open until then, then half open, and closed without a breakage', () => {
    const breakage = broken(null, now);
    expect(breakerState(breakage, now)).toBe('open');
    expect(breakerState(breakage, after(now, 30 * SECOND))).toBe('half_open');
    expect(breakerState(null, now)).toBe('closed');
  });
});
