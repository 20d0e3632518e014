import { describe, expect, it } from '@jest/globals';
import { breakerState, ConsecutiveFailures } from '../../../../src/domains/domain/operators.js';
import { after, SECOND } from '../../../../src/kernel/clock.js';

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

  it('is open during the pause, then half open, and closed after a reset', () => {
    const breakage = { since: now, retryAt: after(now, 30 * SECOND), openings: 1 };
    expect(breakerState(breakage, now)).toBe('open');
    expect(breakerState(breakage, after(now, 30 * SECOND))).toBe('half_open');
    expect(breakerState(null, now)).toBe('closed');
  });
});
