import { describe, expect, it } from '@jest/globals';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { DropBrake, type DropBrakeState, type RecentDrops } from '../../../src/watchlist/domain/drop-brake.js';
import { aSchedule, aName, anEvidence, anObservation, at, facts, monday } from './builders.js';

const DROPS_PER_HOUR = 20;
const released: DropBrakeState = { operator: 'acme', tld: 'example', heldSince: null, clearedAt: null };
const aBrake = (drops: Partial<RecentDrops> = {}, state: Partial<DropBrakeState> = {}) =>
  new DropBrake({ ...released, ...state }, { lastHour: 0, busiestHour: 0, ...drops }, DROPS_PER_HOUR, TimeUnits.REAL);

describe('the brake', () => {
  it.each<[Partial<RecentDrops>, boolean]>([
    [{}, false],
    [{ lastHour: 19 }, false],
    [{ lastHour: 20 }, true],
    [{ lastHour: 20, busiestHour: 7 }, false],
    [{ lastHour: 21, busiestHour: 7 }, true],
    [{ lastHour: 299, busiestHour: 100 }, false],
  ])('with %j holds the next sudden drop: %s', (drops, holds) => {
    expect(aBrake(drops).shouldHold(monday)).toBe(holds);
  });

  it('holds until it is released, however the hour goes on', () => {
    expect(aBrake({}, { heldSince: at(-5 * HOUR) }).shouldHold(monday)).toBe(true);
  });

  it('believes a registry for an hour after its canaries were right', () => {
    const many = { lastHour: 500 };
    expect(aBrake(many, { clearedAt: at(-59 * MINUTE) }).shouldHold(monday)).toBe(false);
    expect(aBrake(many, { clearedAt: at(-60 * MINUTE) }).shouldHold(monday)).toBe(true);
  });
});

describe('a name whose brake holds', () => {
  const held = aBrake({}, { heldSince: monday });
  const cadence = aSchedule();
  const denial = (minutes: number) =>
    anObservation(facts.available, at(minutes * MINUTE), { evidence: [anEvidence(at(minutes * MINUTE))] });
  const twice = (situation: keyof typeof facts, brake: DropBrake | null) => {
    const name = aName();
    name.applyResult(anObservation(facts[situation]), cadence, monday);
    name.applyResult(denial(1), cadence, at(MINUTE), brake);
    return { name, news: name.applyResult(denial(3), cadence, at(3 * MINUTE), brake) };
  };

  it('waits for the canaries after two witnesses and is checked again in five minutes', () => {
    const { name, news } = twice('registered', held);
    expect(news).toBeNull();
    expect(name).toMatchObject({
      pending: { waitingFor: 'canary', firstSeenAt: at(MINUTE) },
      nextCheckAt: at(8 * MINUTE),
      urgency: 2,
    });
  });

  it('drops with the first lookup after the release, with the evidence of both witnesses', () => {
    const { name } = twice('registered', held);
    const news = name.applyResult(denial(5), cadence, at(5 * MINUTE), aBrake());
    expect(news).toMatchObject({ facts: { outcome: 'absent' }, observedAt: at(MINUTE), confirmedAt: at(5 * MINUTE) });
    expect(news?.evidence.map(({ observedAt }) => observedAt)).toEqual([at(MINUTE), at(5 * MINUTE)]);
  });

  it('is as it was when its registry comes to its senses', () => {
    const { name } = twice('registered', held);
    expect(name.applyResult(anObservation(facts.registered, at(5 * MINUTE)), cadence, at(5 * MINUTE), held)).toBeNull();
    expect(name).toMatchObject({ pending: null, facts: { outcome: 'found' } });
  });

  it('does not wait where a deletion announced the drop', () => {
    expect(twice('pendingDelete', held).news).toMatchObject({ facts: { outcome: 'absent' } });
  });
});
