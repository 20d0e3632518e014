import { TimeUnits } from '../../../src/kernel/time-units.js';
import { describe, expect, it } from '@jest/globals';
import { effectiveInterval } from '../../../src/watchlist/domain/effective-interval.js';
import type { EntryDetails } from '../../../src/watchlist/entries/entry-reader.repository.js';
import { at, monday } from './builders.js';

const MINUTE = 60_000;

describe('the interval at which checks really run', () => {
  const atLimit = { operator_at_limit: true };
  const anEntry = (changes: Partial<EntryDetails> = {}) =>
    ({
      interval_minutes: 60,
      required_interval_minutes: 60,
      next_check_at: at(MINUTE),
      operator_due_since: at(MINUTE),
      operator_at_limit: false,
      ...changes,
    }) as EntryDetails;
  const of = (changes: Partial<EntryDetails>, timeScale = 1) =>
    effectiveInterval(anEntry(changes), monday, TimeUnits.fromScale(timeScale));

  it.each<[string, Partial<EntryDetails>, number, string | null]>([
    ['is the chosen interval if all checks are on time', {}, 60, null],
    ['is the minimum interval of the plan if that is longer', { required_interval_minutes: 720 }, 720, 'plan'],
    [
      'is the minimum interval of the plan even at the operator’s rate limit',
      { required_interval_minutes: 720, ...atLimit },
      720,
      'plan',
    ],
    [
      'is longer while checks of the operator’s other names are late because of its rate limit',
      { operator_due_since: at(-20 * MINUTE), ...atLimit },
      80,
      'budget',
    ],
    [
      'is longer by the delay of this name if other names are delayed less',
      { next_check_at: at(-30 * MINUTE), operator_due_since: at(-20 * MINUTE) },
      90,
      'backlog',
    ],
    ['is the chosen interval while a check is at most two minutes late', { next_check_at: at(-2 * MINUTE) }, 60, null],
    ['is longer by 30 minutes while a check is 30 minutes late', { next_check_at: at(-30 * MINUTE) }, 90, 'backlog'],
    [
      'is the chosen interval for a name without a planned check',
      { next_check_at: null, operator_due_since: at(-20 * MINUTE) },
      60,
      null,
    ],
  ])('%s', (_, changes, minutes, reason) => expect(of(changes)).toEqual({ minutes, reason }));

  it('counts a delay of three real minutes as 180 minutes if TIME_SCALE is 60', () =>
    expect(of({ next_check_at: at(-3 * MINUTE) }, 60)).toEqual({ minutes: 240, reason: 'backlog' }));
});
