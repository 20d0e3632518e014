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

describe('a watched name, after the clock jumped ahead', () => {
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

  it('does not become available if two lookups seem an hour apart because of the jump', () => {
    const name = registered();
    sees(name, 'available', first);
    expect(sees(name, 'available', jump, afterJump)).toBeNull();
    expect(name.pending?.notBefore).toEqual(after(steadySince, MINUTE));
    expect(name.nextCheckAt).toEqual(after(steadySince, MINUTE));
  });

  it('becomes available by another lookup, a minute after the clock is steady again', () => {
    const name = registered();
    sees(name, 'available', first);
    sees(name, 'available', jump, afterJump);
    expect(sees(name, 'available', after(steadySince, MINUTE), afterJump)).toMatchObject({ facts: facts.available });
  });

  it('waits only the usual minute for a second lookup if the first came after the jump', () => {
    const name = registered();
    sees(name, 'available', steadySince, afterJump);
    expect(name.pending?.notBefore).toEqual(after(steadySince, MINUTE));
  });
});

describe('a watched name, after the clock jumped back', () => {
  const before = at(2 * HOUR);
  const now = at(HOUR + SECOND);

  it('accepts the next answer, although the time of the last answer is later', () => {
    const name = registered();
    sees(name, 'registered', before);
    expect(sees(name, 'pendingDelete', now)).toMatchObject({ facts: facts.pendingDelete });
    expect(name.lastCheckedAt).toEqual(now);
  });

  it('ignores, as always, an answer that is a second older than the last one', () => {
    const name = registered();
    sees(name, 'pendingDelete', now);
    expect(sees(name, 'registered', after(now, -SECOND))).toBeNull();
    expect(name.facts).toEqual(facts.pendingDelete);
  });

  it('needs two new not-found answers a minute apart to become available', () => {
    const name = registered();
    sees(name, 'available', before);
    expect(sees(name, 'available', now)).toBeNull();
    expect(name.pending).toMatchObject({ firstSeenAt: now, notBefore: after(now, MINUTE) });
    expect(sees(name, 'available', after(now, MINUTE))).toMatchObject({ facts: facts.available, observedAt: now });
  });

  it('becomes available by two new lookups, even if the DNS zone contradicted before', () => {
    const name = registered();
    name.applyResult(aDnsVeto(before), schedule, before);
    expect(name.pending?.waitingFor).toBe('no_delegation');
    expect(sees(name, 'available', now)).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'second_lookup', firstSeenAt: now });
    expect(sees(name, 'available', after(now, MINUTE))).toMatchObject({ facts: facts.available });
  });

  it('forgets a not-found answer with a future time when the next lookup fails', () => {
    const name = registered();
    sees(name, 'available', before);
    name.applyResult(aFailure(now), schedule, now);
    expect(name.pending).toBeNull();
  });

  it('gives a new entry no facts that are dated in the future', () => {
    const name = registered();
    sees(name, 'available', at(2 * HOUR - MINUTE));
    sees(name, 'available', before);
    expect(name.recentFacts(60, before, TimeUnits.fromScale(1))).toMatchObject({ facts: facts.available });
    expect(name.recentFacts(60, now, TimeUnits.fromScale(1))).toBeNull();
  });
});
