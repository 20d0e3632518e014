import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainName } from '../../../src/domains/language.js';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import { type DropForecast, msUntilOffset } from '../../../src/watchlist/domain/check-schedule.js';
import { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { aSchedule, aFailure, aName, anObservation, at, facts, monday } from './builders.js';

const jittering = (random: number) => aSchedule({}, () => random);
const failed = (times: number, intervalMinutes = 1_440) => {
  const name = aName(intervalMinutes);
  for (let i = 0; i < times; i += 1) name.applyResult(aFailure(monday), jittering(0.5), monday);
  return name.nextCheckAt;
};

describe('the next check', () => {
  it('is never later than the required interval, and at most a tenth sooner', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999_999, noNaN: true }), (random) => {
        const name = aName(60);
        name.applyResult(anObservation(facts.registered), jittering(random), monday);
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

  it('is scaled by TIME_SCALE, like all other delays', () => {
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
    expect(failed(9, 5)).toEqual(at(5 * MINUTE));
  });

  it('never comes before the registry allows it, whatever TIME_SCALE says', () => {
    const name = aName(5);
    const cadence = aSchedule({ timeScale: 60 });
    name.applyResult(aFailure(monday, { retryAfterSeconds: 900 }), cadence, monday);
    expect(name.nextCheckAt).toEqual(at(900_000));
  });
});

describe('the next check of a name that is being deleted', () => {
  it('is computed from the drop window of the time at which the deletion was first seen', () => {
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

const spread = aSchedule({}, Math.random, msUntilOffset);
const INTERVAL = 24 * HOUR;
const TENTHS = 10;

/** Names that were added in the same moment, and were checked then. */
const crowd = (size: number) =>
  Array.from({ length: size }, (_, nth) => {
    const name = WatchedName.create(DomainName.restore(`shop-${nth}.example`), 'example', INTERVAL / 60_000, monday);
    name.applyResult(anObservation(facts.registered), spread, monday);
    return name;
  });
const checkAt = (name: WatchedName, now: Date) => name.applyResult(anObservation(facts.registered, now), spread, now);
const dueOf = ({ nextCheckAt }: WatchedName) => nextCheckAt ?? monday;

/** The share of names that fall due in the fullest tenth of an interval. */
const fullest = (names: readonly WatchedName[]) => {
  const tenths = new Array<number>(TENTHS).fill(0);
  for (const name of names) {
    const tenth = Math.floor(((dueOf(name).getTime() % INTERVAL) / INTERVAL) * TENTHS);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  return Math.max(...tenths) / names.length;
};

describe('the schedule offset of a name', () => {
  it('spreads names added together over their interval, from the second check on', () => {
    const names = crowd(2_000);
    expect(fullest(names)).toBeLessThan(0.2);
    for (const name of names) checkAt(name, dueOf(name));
    expect(fullest(names)).toBeLessThan(0.16);
  });

  it('spreads names again that an outage delayed to the same moment', () => {
    const names = crowd(1_000);
    const ended = at(5 * INTERVAL);
    for (const name of names) checkAt(name, ended);
    expect(fullest(names)).toBeGreaterThan(0.5);
    for (let checks = 0; checks < 25; checks += 1) for (const name of names) checkAt(name, dueOf(name));
    expect(fullest(names)).toBeLessThan(0.16);
  });

  it('makes no check later than required, and none more than a tenth sooner once the schedule has settled', () => {
    for (const name of crowd(300))
      for (let checks = 0, last = monday; checks < 20; checks += 1) {
        const due = dueOf(name);
        const gap = due.getTime() - last.getTime();
        expect(gap).toBeLessThanOrEqual(INTERVAL);
        expect(gap).toBeGreaterThanOrEqual(INTERVAL * (checks === 0 ? 0.05 : 0.9) - 1);
        last = due;
        checkAt(name, due);
      }
  });

  it('keeps the required interval when checks are sometimes late', () => {
    for (const name of crowd(300))
      for (let checks = 0, last = monday; checks < 30; checks += 1) {
        const checkedAt = at(Math.random() * 9_000, dueOf(name));
        expect(checkedAt.getTime() - last.getTime()).toBeLessThanOrEqual(INTERVAL + 9_000);
        checkAt(name, checkedAt);
        if (checks > 25) expect(dueOf(name).getTime() - checkedAt.getTime()).toBeLessThanOrEqual(INTERVAL - 1_000);
        last = checkedAt;
      }
  });

  it('is the same at every check, and never zero', () => {
    fc.assert(
      fc.property(
        fc.domain(),
        fc.double({ min: 300_000, max: INTERVAL, noNaN: true }),
        fc.nat(),
        (domain, interval, later) => {
          const until = (now: Date) => msUntilOffset(domain, interval, now);
          const first = until(monday);
          expect(first).toBeGreaterThan(0);
          expect(first).toBeLessThanOrEqual(interval);
          const distance = (first - until(at(later)) - later) / Math.floor(interval);
          expect(Math.abs(distance - Math.round(distance))).toBeLessThan(1e-6);
        },
      ),
    );
  });
});
