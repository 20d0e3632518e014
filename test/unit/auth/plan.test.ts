import { describe, expect, it } from '@jest/globals';
import { Plan } from '../../../src/auth/language.js';
import { BUILT_IN_PLANS, parsePlans } from '../../../src/config/plans.js';

const aPlan = (changes = {}) =>
  new Plan('free', {
    intervals: [720, 1440],
    default_interval: 1440,
    entries: 10,
    channels: 2,
    requests_per_minute: 60,
    bulk: 20,
    history_days: 90,
    ...changes,
  });

describe('a plan', () => {
  it('gives its default check interval to an entry that asks for none', () =>
    expect(aPlan().resolveInterval(undefined)).toBe(1440));

  it('gives an entry the requested interval if the plan allows this interval', () =>
    expect(aPlan().resolveInterval(720)).toBe(720));

  it('refuses an interval that it does not allow, and lists the allowed ones', () => {
    expect(() => aPlan().resolveInterval(5)).toThrow(
      expect.objectContaining({
        code: 'interval_not_allowed',
        details: expect.objectContaining({ allowed_values: [720, 1440] }),
      }),
    );
  });

  it('admits entries up to its limit', () => {
    expect(() => aPlan().requireRoomFor('entries', 9)).not.toThrow();
    expect(() => aPlan().requireRoomFor('entries', 10)).toThrow(
      expect.objectContaining({ code: 'plan_limit_reached' }),
    );
  });

  it('sets no limit if the value is zero', () =>
    expect(() => aPlan({ channels: 0 }).requireRoomFor('channels', 1_000_000)).not.toThrow());
});

describe('a plans file', () => {
  const laid = (file: unknown) => {
    const problems: string[] = [];
    return { plans: parsePlans(file, (problem) => problems.push(problem)), problems };
  };

  it('changes only the values that it names, and leaves other plans as they are', () => {
    const { plans, problems } = laid({ free: { entries: 25 } });
    expect(problems).toEqual([]);
    expect(plans['free']).toMatchObject({ entries: 25, default_interval: 1440 });
    expect(plans['business']).toEqual(BUILT_IN_PLANS['business']);
  });

  it('may define a new plan if all values are given', () => {
    const whole = { ...BUILT_IN_PLANS['pro'], intervals: [60, 10], default_interval: 10 };
    expect(laid({ team: whole }).plans['team']).toMatchObject({ intervals: [10, 60] });
  });

  it.each([
    [{ team: { entries: 1 } }, /team/],
    [{ free: { default_interval: 5 } }, /default_interval must be one of the intervals/],
    [{ free: { entires: 5 } }, /entires/],
    [{ free: { intervals: [] } }, /intervals/],
    [{ free: { entries: 1e12 } }, /free: entries must be a whole number from 0 to 2147483647/],
    [{ free: 5 }, /free: it is not an object of limits/],
    [[], /not an object of plans/],
  ])('is refused if its content is %j', (file, problem) => {
    expect(laid(file).problems.join('\n')).toMatch(problem);
  });
});
