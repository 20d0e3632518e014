import { describe, expect, it } from '@jest/globals';
import { toRegistrationRecord } from '../../../src/domains/language.js';
import { HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { aSchedule, aFailure, aName, anObservation, at, facts, monday, registeredAt } from './builders.js';

const cadence = aSchedule();
const knownAs = (situation: keyof typeof facts): WatchedName => {
  const name = aName();
  name.applyResult(anObservation(facts[situation], monday, { witnesses: 2 }), cadence, monday);
  return name;
};
const sees = (name: WatchedName, situation: keyof typeof facts, when: Date, appliedAt = when) =>
  name.applyResult(anObservation(facts[situation], when), cadence, appliedAt);

describe('a watched name', () => {
  it('is registered after a single lookup that found a registration', () => {
    expect(sees(aName(), 'registered', monday)).toMatchObject({ facts: facts.registered, confirmedAt: monday });
  });

  it('reports no change when the same facts are confirmed again, but updates confirmedAt', () => {
    const name = knownAs('registered');
    expect(sees(name, 'registered', at(HOUR))).toBeNull();
    expect(name.confirmed).toMatchObject({ observedAt: monday, confirmedAt: at(HOUR) });
  });

  it('does not become available after a single lookup', () => {
    const name = knownAs('registered');
    expect(sees(name, 'available', at(HOUR))).toBeNull();
    expect(name.facts?.outcome).toBe('found');
    expect(name.pending).toMatchObject({
      status: 'available',
      waitingFor: 'second_lookup',
      firstSeenAt: at(HOUR),
      notBefore: at(HOUR + MINUTE),
    });
  });

  it('does not become available by a second lookup less than a minute after the first', () => {
    const name = knownAs('registered');
    sees(name, 'available', at(HOUR));
    expect(sees(name, 'available', at(HOUR + MINUTE - 1))).toBeNull();
    expect(name.pending?.notBefore).toEqual(at(HOUR + MINUTE));
  });

  it.each(['pendingDelete', 'redemption'] as const)(
    'needs only ten seconds between two lookups to become available after: %s',
    (was) => {
      const name = knownAs(was);
      sees(name, 'available', at(HOUR));
      expect(name.pending?.notBefore).toEqual(at(HOUR + 10 * SECOND));
      expect(sees(name, 'available', at(HOUR + 10 * SECOND))).not.toBeNull();
    },
  );

  it('becomes available after one lookup if two protocols agree', () => {
    const seen = anObservation(facts.available, at(HOUR), { witnesses: 2 });
    expect(knownAs('registered').applyResult(seen, cadence, at(HOUR))).toMatchObject({ facts: facts.available });
  });

  it('does not become available by its very first lookup either', () =>
    expect(sees(aName(), 'available', monday)).toBeNull());

  it('ignores an answer that is older than the last one', () => {
    const name = knownAs('registered');
    sees(name, 'pendingDelete', at(2 * HOUR));
    const { nextCheckAt } = name;
    expect(name.applyResult(anObservation(facts.registered, at(HOUR)), cadence, at(2 * HOUR))).toBeNull();
    expect(name).toMatchObject({ facts: facts.pendingDelete, lastCheckedAt: at(2 * HOUR), nextCheckAt });
  });

  it('stays due after an outdated answer if it became due later; otherwise waits a minute', () => {
    const name = knownAs('registered');
    const due = name.nextCheckAt ?? monday;
    sees(name, 'available', at(-MINUTE), due);
    expect(name.nextCheckAt).toEqual(due);
    const early = knownAs('registered');
    early.addWatcher(60, at(-2 * MINUTE));
    sees(early, 'available', at(-MINUTE), at(0));
    expect(early.nextCheckAt).toEqual(at(MINUTE));
  });

  it('changes from available to expiring only after a second lookup', () => {
    const name = knownAs('available');
    expect(sees(name, 'expiring', at(HOUR))).toBeNull();
    expect(name.pending).toMatchObject({ status: 'expiring' });
    expect(sees(name, 'expiring', at(HOUR + MINUTE))).toMatchObject({ facts: facts.expiring });
  });

  it('reports no change if a second lookup shows yet another status', () => {
    const name = knownAs('available');
    sees(name, 'pendingDelete', at(HOUR));
    expect(sees(name, 'expiring', at(HOUR + MINUTE))).toBeNull();
    expect(name.pending).toMatchObject({ status: 'expiring', firstSeenAt: at(HOUR + MINUTE) });
  });

  it('changes from available to registered after a single lookup', () => {
    expect(sees(knownAs('available'), 'registered', at(HOUR))).toMatchObject({ facts: { registeredAt } });
  });

  it.each(['pendingDelete', 'redemption'] as const)(
    'changes from available only after a second lookup to: %s',
    (strange) => {
      const name = knownAs('available');
      expect(sees(name, strange, at(HOUR))).toBeNull();
      expect(name.pending).toMatchObject({ status: 'pending_delete', waitingFor: 'second_lookup' });
      expect(sees(name, strange, at(HOUR + MINUTE))).toMatchObject({ facts: facts[strange], observedAt: at(HOUR) });
    },
  );

  it('stays available if a second lookup no longer shows that the name is being deleted', () => {
    const name = knownAs('available');
    sees(name, 'pendingDelete', at(HOUR));
    expect(sees(name, 'available', at(HOUR + MINUTE))).toBeNull();
    expect(name).toMatchObject({ pending: null, facts: facts.available });
  });

  it('reports a change with the evidence of both lookups', () => {
    const name = knownAs('registered');
    const checkAt = (when: Date, excerpt: string) => {
      const said = { source: 'rdap', server: 'rdap.example', outcome: 'absent', rule: 'rdap.404' } as const;
      const evidence = [{ ...said, httpStatus: 404, observedAt: when, excerpt }];
      return name.applyResult(anObservation(facts.available, when, { evidence }), cadence, when);
    };
    checkAt(at(HOUR), 'first');
    expect(checkAt(at(HOUR + MINUTE), 'second')).toMatchObject({
      evidence: [{ excerpt: 'first' }, { excerpt: 'second' }],
    });
  });
});

describe('a failed lookup', () => {
  it('changes no facts, and is counted with the time of the first failure', () => {
    const name = knownAs('registered');
    expect(name.applyResult(aFailure(at(HOUR)), cadence, at(HOUR))).toBeNull();
    expect(name).toMatchObject({ facts: facts.registered, failures: 1, failingSince: at(HOUR) });
    name.applyResult(aFailure(at(2 * HOUR)), cadence, at(2 * HOUR));
    expect(name).toMatchObject({ failures: 2, failingSince: at(HOUR), failureCode: 'registry_timeout' });
  });

  it('no longer counts after the next answer', () => {
    const name = knownAs('registered');
    name.applyResult(aFailure(at(HOUR)), cadence, at(HOUR));
    sees(name, 'registered', at(2 * HOUR));
    expect(name).toMatchObject({ failures: 0, failingSince: null, failureCode: null });
  });

  it('keeps an unconfirmed not-found answer for a day after that answer, and no longer', () => {
    const name = knownAs('registered');
    sees(name, 'available', at(HOUR));
    name.applyResult(aFailure(at(24 * HOUR)), cadence, at(24 * HOUR));
    expect(name.pending).not.toBeNull();
    name.applyResult(aFailure(at(25 * HOUR + 1)), cadence, at(25 * HOUR + 1));
    expect(name.pending).toBeNull();
  });
});

describe('the registration record of a watched name', () => {
  const held = (registrar: string) => ({
    record: toRegistrationRecord({ registrar: { name: registrar, ianaId: null } }),
  });
  const shows = (name: WatchedName, registrar: string, when: Date) => {
    const result = anObservation(facts.registered, when, held(registrar));
    const updates = name.applyRecord(result, {}, cadence, when);
    name.applyResult(result, cadence, when);
    return updates;
  };

  it.each([
    ['had no record of the name', () => anObservation(facts.available, at(HOUR))],
    [
      'gave an answer that cannot be trusted',
      () => aFailure(at(HOUR), { doubt: 'in_zone', doubted: anObservation(facts.available, at(HOUR)) }),
    ],
  ])('does not count as seen in a lookup at which the registry %s', (_when, look) => {
    const name = aName();
    shows(name, 'Former', monday);
    name.applyResult(look(), cadence, at(HOUR));
    shows(name, 'Later', at(2 * HOUR));
    expect(shows(name, 'Later', at(3 * HOUR))).toMatchObject([{ type: 'changed', previousSeenAt: monday }]);
  });
});

describe('a new watcher of a watched name', () => {
  it('starts with the last answer if that is not older than the watcher’s interval', () => {
    expect(knownAs('registered').recentFacts(60, at(HOUR), TimeUnits.REAL)).not.toBeNull();
    expect(knownAs('registered').recentFacts(60, at(HOUR + 1), TimeUnits.REAL)).toBeNull();
  });

  it('starts with a "not found" only if that is at most a minute old', () => {
    expect(knownAs('available').recentFacts(60, at(MINUTE), TimeUnits.REAL)).not.toBeNull();
    expect(knownAs('available').recentFacts(60, at(MINUTE + 1), TimeUnits.REAL)).toBeNull();
  });

  it('makes the name due now, and can shorten the name’s interval but not lengthen it', () => {
    const name = knownAs('registered');
    name.addWatcher(5, at(MINUTE));
    expect(name).toMatchObject({ intervalMinutes: 5, nextCheckAt: at(MINUTE) });
    name.addWatcher(1_440, at(2 * MINUTE));
    expect(name.intervalMinutes).toBe(5);
  });

  it('gets a new check immediately if added while a lookup was running', () => {
    const name = aName();
    sees(name, 'registered', monday);
    name.addWatcher(60, at(2 * HOUR));
    sees(name, 'registered', at(2 * HOUR - SECOND), at(2 * HOUR + SECOND));
    expect(name.nextCheckAt).toEqual(at(2 * HOUR));
    sees(name, 'registered', at(2 * HOUR + SECOND), at(2 * HOUR + 2 * SECOND));
    expect(name.nextCheckAt?.getTime()).toBeGreaterThan(at(2 * HOUR + MINUTE).getTime());
  });

  it('does not bring the next check forward while lookups fail', () => {
    const name = aName();
    name.applyResult(aFailure(monday, { retryAfterSeconds: 3_600 }), cadence, monday);
    name.addWatcher(5, at(MINUTE));
    expect(name.nextCheckAt).toEqual(at(HOUR));
  });

  it('needs two new lookups if the last "not found" is 20 days old', () => {
    const name = knownAs('available');
    name.deactivate();
    name.addWatcher(60, at(20 * 24 * HOUR));
    expect(name.recentFacts(60, at(20 * 24 * HOUR), TimeUnits.REAL)).toBeNull();
    expect(sees(name, 'available', at(20 * 24 * HOUR))).toBeNull();
    expect(name.confirmed).toBeNull();
    expect(sees(name, 'available', at(20 * 24 * HOUR + MINUTE))).not.toBeNull();
  });

  it('makes an unwatched name due again, and resets the count of failures', () => {
    const name = knownAs('registered');
    name.applyResult(aFailure(at(MINUTE)), cadence, at(MINUTE));
    name.deactivate();
    expect(name).toMatchObject({ isInactive: true, failures: 1 }); // a pause does not hide why checks fail
    name.addWatcher(720, at(HOUR));
    expect(name).toMatchObject({ isInactive: false, failures: 0, intervalMinutes: 720, nextCheckAt: at(HOUR) });
  });
});
