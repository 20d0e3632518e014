import { describe, expect, it } from '@jest/globals';
import { after, SECOND } from '../../../../src/kernel/clock.js';
import { SettledChanges } from '../../../../src/domains/lookup-cache/lookup-coordinator.repository.js';

const NOON = new Date('2026-11-23T12:00:00Z');
const at = (seconds: number) => after(NOON, seconds * SECOND);
/** Polls `changes` so many seconds after noon. */
const poll = (changes: SettledChanges, seconds: number, { oldest, next }: { oldest: number; next: number }) =>
  changes.settledAt({ at: at(seconds), oldest: BigInt(oldest), next: BigInt(next) });
const UNKNOWN = new Date(0);

describe('changes of lookups', () => {
  it('are settled up to a poll that finds no open transaction', () => {
    expect(poll(new SettledChanges(), 0, { oldest: 100, next: 100 })).toEqual(at(0));
  });

  it('are not settled while a transaction of before the poll is open', () => {
    const changes = new SettledChanges();
    expect(poll(changes, 0, { oldest: 100, next: 101 })).toEqual(UNKNOWN);
    expect(poll(changes, 1, { oldest: 100, next: 250 })).toEqual(UNKNOWN);
  });

  it('are settled up to the last poll of which all transactions have ended, though others began', () => {
    const changes = new SettledChanges();
    poll(changes, 0, { oldest: 90, next: 100 });
    poll(changes, 1, { oldest: 95, next: 200 });
    expect(poll(changes, 2, { oldest: 199, next: 300 })).toEqual(at(0));
    expect(poll(changes, 3, { oldest: 200, next: 400 })).toEqual(at(1));
    expect(poll(changes, 4, { oldest: 200, next: 500 })).toEqual(at(1));
  });

  it('are all read again when the clock of the database is set back', () => {
    const changes = new SettledChanges();
    poll(changes, 5, { oldest: 100, next: 100 });
    expect(poll(changes, 3, { oldest: 110, next: 110 })).toEqual(UNKNOWN);
    expect(poll(changes, 4, { oldest: 120, next: 120 })).toEqual(at(4));
  });

  it('of polls longer ago than changes are looked for are forgotten', () => {
    const changes = new SettledChanges();
    for (let second = 0; second < 60; second += 1) poll(changes, second, { oldest: 90, next: 100 + second });
    expect(poll(changes, 60, { oldest: 111, next: 500 })).toEqual(UNKNOWN);
    expect(poll(changes, 61, { oldest: 155, next: 600 })).toEqual(at(55));
  });
});
