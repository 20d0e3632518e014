import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainName } from '../../../src/domains/language.js';
import { HOUR } from '../../../src/kernel/clock.js';
import { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { msUntilOffset } from '../../../src/watchlist/domain/check-schedule.js';
import { aSchedule, anObservation, at, facts, monday } from './builders.js';

const cadence = aSchedule({}, Math.random, msUntilOffset);
const INTERVAL = 24 * HOUR;
const TENTHS = 10;

/** Names that were added in the same moment, and were checked then. */
const crowd = (size: number) =>
  Array.from({ length: size }, (_, nth) => {
    const name = WatchedName.create(DomainName.restore(`shop-${nth}.example`), 'example', INTERVAL / 60_000, monday);
    name.applyResult(anObservation(facts.registered), cadence, monday);
    return name;
  });
const checkAt = (name: WatchedName, now: Date) => name.applyResult(anObservation(facts.registered, now), cadence, now);
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

  it('parts again what an outage made late together', () => {
    const names = crowd(1_000);
    const ended = at(5 * INTERVAL);
    for (const name of names) checkAt(name, ended);
    expect(fullest(names)).toBeGreaterThan(0.5);
    for (let checks = 0; checks < 25; checks += 1) for (const name of names) checkAt(name, dueOf(name));
    expect(fullest(names)).toBeLessThan(0.16);
  });

  it('checks no name later than required, nor a settled one more than a tenth sooner', () => {
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

  it('is the same at every check, and never now', () => {
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
