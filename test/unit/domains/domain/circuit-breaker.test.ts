import { describe, expect, it } from '@jest/globals';
import { breakerState, trip, ConsecutiveFailures } from '../../../../src/domains/domain/lookup/circuit-breaker.js';
import { after, MINUTE, SECOND } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');

describe('a circuit breaker', () => {
  const areEnough = (names: string[]) => {
    const failures = new ConsecutiveFailures();
    names.forEach((name) => failures.add(name));
    return failures.shouldTrip;
  };
  const inTurn = (count: number, names: string) =>
    Array.from({ length: count }, (_, i) => names.charAt(i % names.length));

  it.each([
    ['nine of different names', [...'abcdefghi'], false],
    ['ten of different names', [...'abcdefghij'], true],
    ['ten of three names', inTurn(10, 'abc'), true],
    ['many of two names', inTurn(100, 'ab'), false],
    ['many of one name', inTurn(100, 'a'), false],
    ['many of one name, then of two others', [...inTurn(100, 'a'), 'b', 'c'], false],
  ])('opens after %s: %#', (_what, names, opens) => expect(areEnough(names)).toBe(opens));

  it('sends a probe after a pause that doubles, up to five minutes', () => {
    let breakage = trip(null, now);
    const pauses = Array.from({ length: 6 }, () => {
      const pause = (breakage.retryAt.getTime() - now.getTime()) / SECOND;
      breakage = trip(breakage, now);
      return pause;
    });
    expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
  });

  it('keeps the time of its first opening', () => {
    const later = trip(trip(null, now), after(now, MINUTE));
    expect(later).toMatchObject({ since: now, openings: 2 });
  });

  it('is open during the pause, then half open, and closed after a reset', () => {
    const breakage = trip(null, now);
    expect(breakerState(breakage, now)).toBe('open');
    expect(breakerState(breakage, after(now, 30 * SECOND))).toBe('half_open');
    expect(breakerState(null, now)).toBe('closed');
  });
});
