import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import type { DropForecast } from '../../../src/watchlist/domain/check-schedule.js';
import { aSchedule, aFailure, aName, anObservation, at, facts, monday } from './builders.js';

const failed = (times: number, cadence = aSchedule({}, () => 0.5)) => {
  const name = aName(1_440);
  for (let i = 0; i < times; i += 1) name.applyResult(aFailure(monday), cadence, monday);
  return name.nextCheckAt;
};

describe('the next check', () => {
  it('is never later than the required interval, and at most a tenth sooner', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999_999, noNaN: true }), (random) => {
        const name = aName(60);
        name.applyResult(
          anObservation(facts.registered),
          aSchedule({}, () => random),
          monday,
        );
        const wait = (name.nextCheckAt ?? monday).getTime() - monday.getTime();
        return wait <= HOUR && wait >= 0.9 * HOUR - 1;
      }),
    );
  });

  it('comes when an absence can be confirmed', () => {
    const name = aName();
    name.applyResult(anObservation(facts.available), aSchedule(), monday);
    expect(name.nextCheckAt).toEqual(at(MINUTE));
  });

  it('comes sooner when the source requests it', () => {
    const name = aName();
    name.applyResult(anObservation(facts.registered, monday, { recheckWithinMs: 1_000 }), aSchedule(), monday);
    expect(name.nextCheckAt).toEqual(at(1_000));
  });

  it('is scaled with the rest of business time', () => {
    const name = aName(60);
    name.applyResult(anObservation(facts.registered), aSchedule({ timeScale: 60 }), monday);
    expect(name.nextCheckAt).toEqual(at(MINUTE));
  });

  it.each([
    [1, MINUTE],
    [2, 2 * MINUTE],
    [5, 16 * MINUTE],
    [7, HOUR],
    [500, HOUR],
  ])('after %i failures comes after %i ms', (times, wait) => expect(failed(times)).toEqual(at(wait)));

  it('after a failure stays within the interval', () => {
    const name = aName(5);
    for (let i = 0; i < 9; i += 1)
      name.applyResult(
        aFailure(monday),
        aSchedule({}, () => 0.5),
        monday,
      );
    expect(name.nextCheckAt).toEqual(at(5 * MINUTE));
  });

  it('never comes before the registry allows it, in fast motion neither', () => {
    const name = aName(5);
    const cadence = aSchedule({ timeScale: 60 });
    name.applyResult(aFailure(monday, { retryAfterSeconds: 900 }), cadence, monday);
    expect(name.nextCheckAt).toEqual(at(900_000));
  });
});

describe('the next check of a name that is being deleted', () => {
  it('asks for the drop window with the time at which the deletion was seen to begin', () => {
    const asked: unknown[] = [];
    const byRule = (...[, , , deletion]: Parameters<DropForecast['byRule']>) => (asked.push(deletion), null);
    const schedule = aSchedule({}, undefined, undefined, { byRule, byList: () => null });
    const name = aName(60);
    name.applyResult(anObservation(facts.registered, monday), schedule, monday);
    for (const now of [at(HOUR), at(2 * HOUR)])
      name.applyResult(anObservation(facts.pendingDelete, now), schedule, now);
    expect(asked.at(-1)).toEqual({ after: at(-23 * HOUR), by: at(HOUR) });
    const fromTheStart = aName(60);
    fromTheStart.applyResult(anObservation(facts.pendingDelete, monday), schedule, monday);
    expect(asked.at(-1)).toBeNull();
  });
});

describe('the next check of a name on a drop list', () => {
  const dropAt = at(48 * HOUR);
  const listed = (now: Date, interval: number, what = facts.registered) => {
    const byList = () => ({ earliest: dropAt, latest: dropAt });
    const schedule = aSchedule({}, undefined, undefined, { byRule: () => null, byList });
    const name = aName(interval);
    name.applyResult(anObservation(what, now), schedule, now);
    return (name.nextCheckAt?.getTime() ?? 0) - now.getTime();
  };

  it('comes an hour before the drop, whatever the interval', () => {
    expect(listed(monday, 10 * 1_440)).toBe(47 * HOUR);
  });

  it('comes within the interval while the drop is far', () => {
    expect(listed(monday, 60)).toBe(HOUR);
  });

  it('comes every minute around the drop', () => {
    for (const minutes of [-59, -1, 0, 1, 59]) expect(listed(at(48 * HOUR + minutes * MINUTE), 1_440)).toBe(MINUTE);
  });

  it('is a routine one when the name stays registered', () => {
    expect(listed(at(50 * HOUR), 1_440)).toBe(24 * HOUR);
  });

  it('is at least hourly while the registry deletes the name', () => {
    expect(listed(monday, 1_440, facts.pendingDelete)).toBe(HOUR);
  });
});
