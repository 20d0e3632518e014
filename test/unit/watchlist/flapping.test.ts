import { describe, expect, it } from '@jest/globals';
import { DAY, HOUR } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { flapBackoff, type StatusTransition, nextTransition } from '../../../src/watchlist/domain/confirmation.js';
import { FailureAlertPolicy } from '../../../src/watchlist/domain/failure-alert-policy.js';
import { at, inDays, monday } from './builders.js';

const there = { from: 'registered', to: 'available' } as const;
const back = { from: 'available', to: 'registered' } as const;
const turns = (count: number, apart = HOUR) => {
  let last: StatusTransition | null = null;
  for (let i = 0; i < count; i += 1)
    last = nextTransition(last, { ...(i % 2 === 0 ? there : back), at: at(i * apart) }, DAY);
  return last;
};

describe('a name that comes and goes', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 16],
    [12, 16],
  ])('waits, after %s transitions an hour apart, %s times as long for its second witness', (count, times) => {
    expect(flapBackoff(turns(count), at(count * HOUR), DAY)).toBe(times);
  });

  it('stops flapping after a day without a transition', () => {
    const last = turns(5);
    expect(flapBackoff(last, at(4 * HOUR + DAY + 1), DAY)).toBe(1);
    expect(nextTransition(last, { ...back, at: inDays(3) }, DAY).flaps).toBe(0);
  });

  it('does not flap by going on: a life has many turns', () => {
    const first = nextTransition(null, { from: 'expiring', to: 'pending_delete', at: monday }, DAY);
    expect(nextTransition(first, { from: 'pending_delete', to: 'available', at: at(HOUR) }, DAY).flaps).toBe(0);
  });
});

describe('a failure is notified', () => {
  const policy = new FailureAlertPolicy(3, TimeUnits.REAL);
  const failing = (failures: number) => ({ code: 'registry_timeout', since: monday, failures });

  it.each<[string, number, number, number, boolean, boolean]>([
    ['after three in an hour', 5, 3, 60, false, true],
    ['not after two', 5, 2, 600, false, false],
    ['not before an hour', 5, 30, 59, false, false],
    ['not before one interval', 360, 30, 359, false, false],
    ['after one interval', 360, 3, 360, false, true],
    ['not within a day while the operator as a whole is away', 5, 99, 1_439, true, false],
    ['after a day even then', 5, 3, 1_440, true, true],
  ])('%s', (_, interval, failures, minutes, isOperatorAway, isNotified) => {
    expect(policy.shouldAlert(interval, failing(failures), isOperatorAway, at(minutes * 60_000))).toBe(isNotified);
  });
});
