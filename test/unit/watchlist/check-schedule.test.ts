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
  it('comes at most one interval after the last check, and at most a tenth sooner', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999_999, noNaN: true }), (random) => {
        const name = aName(60);
        name.applyResult(anObservation(facts.registered), jittering(random), monday);
        const wait = (name.nextCheckAt ?? monday).getTime() - monday.getTime();
        return wait <= HOUR && wait >= 0.9 * HOUR - 1;
      }),
    );
  });

  it('comes a minute after a not-found answer that a second lookup has to confirm', () => {
    const name = aName();
    name.applyResult(anObservation(facts.available), aSchedule(), monday);
    expect(name.nextCheckAt).toEqual(at(MINUTE));
  });

  it('comes sooner when the source of the answer requests an earlier check', () => {
    const name = aName();
    name.applyResult(anObservation(facts.registered, monday, { recheckWithinMs: 1_000 }), aSchedule(), monday);
    expect(name.nextCheckAt).toEqual(at(1_000));
  });

  it('comes after a minute in place of an hour if TIME_SCALE is 60', () => {
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
  ])('comes, after %i failed checks in a row, %i ms later', (times, wait) => expect(failed(times)).toEqual(at(wait)));

  it('comes within the interval of five minutes even after nine failed checks', () => {
    expect(failed(9, 5)).toEqual(at(5 * MINUTE));
  });

  it('never comes before the time that the registry’s Retry-After allows, even if TIME_SCALE is 60', () => {
    const name = aName(5);
    const cadence = aSchedule({ timeScale: 60 });
    name.applyResult(aFailure(monday, { retryAfterSeconds: 900 }), cadence, monday);
    expect(name.nextCheckAt).toEqual(at(900_000));
  });
});

describe('the next check of a name being deleted', () => {
  it('is computed from when the deletion was first seen, if an earlier check found none', () => {
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

describe('the next check of a name listed for deletion', () => {
  const dropAt = at(48 * HOUR);
  const listed = (now: Date, interval: number, what = facts.registered) => {
    const byList = () => ({ earliest: dropAt, latest: dropAt });
    const schedule = aSchedule({}, undefined, undefined, { byRule: () => null, byList });
    const name = aName(interval);
    name.applyResult(anObservation(what, now), schedule, now);
    return (name.nextCheckAt?.getTime() ?? 0) - now.getTime();
  };

  it('comes an hour before the listed deletion, even if the interval is ten days', () => {
    expect(listed(monday, 10 * 1_440)).toBe(47 * HOUR);
  });

  it('comes after the interval of an hour if the deletion is two days away', () => {
    expect(listed(monday, 60)).toBe(HOUR);
  });

  it('comes every minute from an hour before the listed deletion to an hour after', () => {
    for (const minutes of [-59, -1, 0, 1, 59]) expect(listed(at(48 * HOUR + minutes * MINUTE), 1_440)).toBe(MINUTE);
  });

  it('comes after the normal interval if the name is still registered after the listed deletion', () => {
    expect(listed(at(50 * HOUR), 1_440)).toBe(24 * HOUR);
  });

  it('comes after an hour once the registry says that the name is being deleted', () => {
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

describe('the fixed check time of each name', () => {
  it('spreads the checks of names added together over the interval, from the second check on', () => {
    const names = crowd(2_000);
    expect(fullest(names)).toBeLessThan(0.2);
    for (const name of names) checkAt(name, dueOf(name));
    expect(fullest(names)).toBeLessThan(0.16);
  });

  it('spreads checks over the interval again after an outage delayed them to the same moment', () => {
    const names = crowd(1_000);
    const ended = at(5 * INTERVAL);
    for (const name of names) checkAt(name, ended);
    expect(fullest(names)).toBeGreaterThan(0.5);
    for (let checks = 0; checks < 25; checks += 1) for (const name of names) checkAt(name, dueOf(name));
    expect(fullest(names)).toBeLessThan(0.16);
  });

  it('leaves at most one interval between checks, and after the first gap at least nine tenths', () => {
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

  it('plans each check within the interval, even if checks run up to nine seconds late', () => {
    for (const name of crowd(300))
      for (let checks = 0, last = monday; checks < 30; checks += 1) {
        const checkedAt = at(Math.random() * 9_000, dueOf(name));
        expect(checkedAt.getTime() - last.getTime()).toBeLessThanOrEqual(INTERVAL + 9_000);
        checkAt(name, checkedAt);
        if (checks > 25) expect(dueOf(name).getTime() - checkedAt.getTime()).toBeLessThanOrEqual(INTERVAL - 1_000);
        last = checkedAt;
      }
  });

  it('comes exactly once in each interval, and is always later than now', () => {
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
