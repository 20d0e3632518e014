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
    ['stays closed after nine failures of different names', [...'abcdefghi'], false],
    ['opens after ten failures of different names', [...'abcdefghij'], true],
    ['opens after ten failures of three names', inTurn(10, 'abc'), true],
    ['stays closed after 100 failures of two names', inTurn(100, 'ab'), false],
    ['stays closed after 100 failures of one name', inTurn(100, 'a'), false],
    [
      'stays closed after 100 failures of one name and one failure each of two others',
      [...inTurn(100, 'a'), 'b', 'c'],
      false,
    ],
  ])('%s', (_what, names, opens) => expect(areEnough(names)).toBe(opens));

  it('is open during its pause, half open after the pause, and closed when reset', () => {
    const breakage = { since: now, retryAt: after(now, 30 * SECOND), openings: 1 };
    expect(breakerState(breakage, now)).toBe('open');
    expect(breakerState(breakage, after(now, 30 * SECOND))).toBe('half_open');
    expect(breakerState(null, now)).toBe('closed');
  });
});
