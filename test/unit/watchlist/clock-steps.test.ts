import { describe, expect, it } from '@jest/globals';
import { after, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { aDnsVeto, aFailure, aName, anObservation, aSchedule, at, facts, monday } from './builders.js';

const schedule = aSchedule();
const registered = (): WatchedName => {
  const name = aName();
  name.applyResult(anObservation(facts.registered, monday), schedule, monday);
  return name;
};
const sees = (name: WatchedName, situation: keyof typeof facts, when: Date, by = schedule) =>
  name.applyResult(anObservation(facts[situation], when), by, when);

describe('a watched name, after the clock was put forward by an hour', () => {
  const first = at(HOUR);
  const jump = after(first, HOUR + SECOND);
  /** Half a minute later all processes know. */
  const steadySince = after(jump, 30 * SECOND);
  const afterJump = aSchedule(
    {},
    () => 0,
    () => 0,
    undefined,
    steadySince,
  );

  it('is not available by a second lookup that follows the first within seconds', () => {
    const name = registered();
    sees(name, 'available', first);
    expect(sees(name, 'available', jump, afterJump)).toBeNull();
    expect(name.pending?.notBefore).toEqual(after(steadySince, MINUTE));
    expect(name.nextCheckAt).toEqual(after(steadySince, MINUTE));
  });

  it('becomes available once the required pause between two lookups has passed', () => {
    const name = registered();
    sees(name, 'available', first);
    sees(name, 'available', jump, afterJump);
    expect(sees(name, 'available', after(steadySince, MINUTE), afterJump)).toMatchObject({ facts: facts.available });
  });

  it('does not delay the confirmation of an absence first seen after the jump', () => {
    const name = registered();
    sees(name, 'available', steadySince, afterJump);
    expect(name.pending?.notBefore).toEqual(after(steadySince, MINUTE));
  });
});

describe('a watched name, after the clock was put back by an hour', () => {
  const before = at(2 * HOUR);
  const now = at(HOUR + SECOND);

  it('takes the next answer, and does not wait for the time of the last one', () => {
    const name = registered();
    sees(name, 'registered', before);
    expect(sees(name, 'pendingDelete', now)).toMatchObject({ facts: facts.pendingDelete });
    expect(name.lastCheckedAt).toEqual(now);
  });

  it('leaves out an answer that another lookup has overtaken, as ever', () => {
    const name = registered();
    sees(name, 'pendingDelete', now);
    expect(sees(name, 'registered', after(now, -SECOND))).toBeNull();
    expect(name.facts).toEqual(facts.pendingDelete);
  });

  it('begins its confirmation anew: two lookups a minute apart', () => {
    const name = registered();
    sees(name, 'available', before);
    expect(sees(name, 'available', now)).toBeNull();
    expect(name.pending).toMatchObject({ firstSeenAt: now, notBefore: after(now, MINUTE) });
    expect(sees(name, 'available', after(now, MINUTE))).toMatchObject({ facts: facts.available, observedAt: now });
  });

  it('waits only for a new answer of the zone, not for an hour', () => {
    const name = registered();
    name.applyResult(aDnsVeto(before), schedule, before);
    expect(name.pending?.waitingFor).toBe('no_delegation');
    expect(sees(name, 'available', now)).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'second_lookup', firstSeenAt: now });
    expect(sees(name, 'available', after(now, MINUTE))).toMatchObject({ facts: facts.available });
  });

  it('forgets a first sighting when the next lookup fails', () => {
    const name = registered();
    sees(name, 'available', before);
    name.applyResult(aFailure(now), schedule, now);
    expect(name.pending).toBeNull();
  });

  it('gives a new entry no facts dated in the future, since their age is unknown', () => {
    const name = registered();
    sees(name, 'available', at(2 * HOUR - MINUTE));
    sees(name, 'available', before);
    expect(name.recentFacts(60, before, TimeUnits.fromScale(1))).toMatchObject({ facts: facts.available });
    expect(name.recentFacts(60, now, TimeUnits.fromScale(1))).toBeNull();
  });
});
