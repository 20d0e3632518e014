import { TimeUnits } from '../../../src/kernel/time-units.js';
import { describe, expect, it } from '@jest/globals';
import { effectiveInterval } from '../../../src/watchlist/domain/effective-interval.js';
import type { EntryDetails } from '../../../src/watchlist/entries/entry-reader.repository.js';
import { at, monday } from './builders.js';

const MINUTE = 60_000;

describe('the effective interval', () => {
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
    ['is the chosen one', {}, 60, null],
    ['is the plan’s where that is longer', { required_interval_minutes: 720 }, 720, 'plan'],
    [
      'is the plan’s while the operator is asked as often as it may',
      { required_interval_minutes: 720, ...atLimit },
      720,
      'plan',
    ],
    [
      'is longer by as much as others of the operator are late',
      { operator_due_since: at(-20 * MINUTE), ...atLimit },
      80,
      'budget',
    ],
    [
      'counts the later of both',
      { next_check_at: at(-30 * MINUTE), operator_due_since: at(-20 * MINUTE) },
      90,
      'backlog',
    ],
    ['is the chosen one while a check is hardly late', { next_check_at: at(-2 * MINUTE) }, 60, null],
    ['is longer while checks are late', { next_check_at: at(-30 * MINUTE) }, 90, 'backlog'],
    [
      'is the chosen one of a name that is not on a schedule',
      { next_check_at: null, operator_due_since: at(-20 * MINUTE) },
      60,
      null,
    ],
  ])('%s', (_, changes, minutes, reason) => expect(of(changes)).toEqual({ minutes, reason }));

  it('is in unscaled minutes, whatever TIME_SCALE says', () =>
    expect(of({ next_check_at: at(-3 * MINUTE) }, 60)).toEqual({ minutes: 240, reason: 'backlog' }));
});
