import { TimeUnits } from '../../../src/kernel/time-units.js';
import { describe, expect, it } from '@jest/globals';
import { effectiveInterval, equilibriumDelay } from '../../../src/watchlist/domain/effective-interval.js';
import type { EntryDetails } from '../../../src/watchlist/entries/entry-reader.repository.js';
import { at, monday } from './builders.js';

const MINUTE = 60_000;
const many = (names: number, intervalMinutes: number) => ({ names, intervalMinutes });

describe('the delay that a budget brings', () => {
  it('is none where the budget suffices, or nothing limits it', () => {
    expect(equilibriumDelay([many(300, 5)], 60)).toBe(0);
    expect(equilibriumDelay([many(1_000_000, 5)], Infinity)).toBe(0);
    expect(equilibriumDelay([], 60)).toBe(0);
  });

  it('makes as many minutes of an interval as there are names for a question a minute', () =>
    expect(equilibriumDelay([many(600, 5)], 60)).toBeCloseTo(5));

  it('keeps all names together to what is granted, each as late as any other', () => {
    const demands = [many(1_000, 5), many(300, 60), many(50, 1_440)];
    const delay = equilibriumDelay(demands, 60);
    expect(1_000 / (5 + delay) + 300 / (60 + delay) + 50 / (1_440 + delay)).toBeCloseTo(60);
  });

  it('bears a budget of next to nothing', () =>
    expect(equilibriumDelay([many(86, 5)], 0.06)).toBeCloseTo(86 / 0.06 - 5));
});

describe('the effective interval', () => {
  const anEntry = (changes: Partial<EntryDetails> = {}) =>
    ({
      interval_minutes: 60,
      required_interval_minutes: 60,
      budget_delay_minutes: 0,
      next_check_at: at(MINUTE),
      ...changes,
    }) as EntryDetails;
  const of = (changes: Partial<EntryDetails>, timeScale = 1) =>
    effectiveInterval(anEntry(changes), monday, TimeUnits.fromScale(timeScale));

  it.each<[string, Partial<EntryDetails>, number, string | null]>([
    ['is the chosen one', {}, 60, null],
    ['is the plan’s where that is longer', { required_interval_minutes: 720 }, 720, 'plan'],
    ['is longer by the budget’s delay, in whole minutes', { budget_delay_minutes: 20.2 }, 81, 'budget'],
    ['adds that to the plan’s', { budget_delay_minutes: 1, required_interval_minutes: 720 }, 721, 'budget'],
    ['is the chosen one while a check is hardly late', { next_check_at: at(-2 * MINUTE) }, 60, null],
    ['is longer while checks are late', { next_check_at: at(-30 * MINUTE) }, 90, 'backlog'],
    [
      'gives the budget as the reason even where a check is later still',
      { next_check_at: at(-30 * MINUTE), budget_delay_minutes: 20 },
      90,
      'budget',
    ],
    ['is the chosen one of a name that is not on a schedule', { next_check_at: null }, 60, null],
  ])('%s', (_, changes, minutes, reason) => expect(of(changes)).toEqual({ minutes, reason }));

  it('is in minutes of the watch, however fast its time runs', () =>
    expect(of({ next_check_at: at(-3 * MINUTE) }, 60)).toEqual({ minutes: 240, reason: 'backlog' }));
});
