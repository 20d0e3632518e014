import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Testimony } from '../../../src/domains/domain/lookup/lookup-result.js';
import type { LookupResult } from '../../../src/domains/language.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { flapBackoff, nextTransition, type StatusTransition } from '../../../src/watchlist/domain/confirmation.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import {
  aDnsVeto,
  aDoubt,
  aFailure,
  aName,
  anObservation,
  aSchedule,
  at,
  BELIEVED,
  facts,
  inDays,
  monday,
} from './builders.js';

const cadence = aSchedule();
const known = () => {
  const name = aName(1_440);
  name.applyResult(anObservation(facts.registered), cadence, monday);
  return name;
};
const absence = (when: Date, said: Partial<Testimony> = {}) =>
  anObservation(facts.available, when, { testimony: { ...BELIEVED, ...said } });
const silent = (when: Date) => absence(when, { zone: 'silent' });
/** Applies these results in order. */
const after = (...results: readonly LookupResult[]) => {
  const name = known();
  const news = results.map((result) => name.applyResult(result, cadence, result.observedAt));
  return { name, news: news.at(-1) ?? null };
};

describe('an absence', () => {
  it('is confirmed by a second absence a minute later', () => {
    const { name, news } = after(absence(at(HOUR)), absence(at(HOUR + MINUTE)));
    expect(news).toMatchObject({ facts: facts.available, observedAt: at(HOUR), confirmedAt: at(HOUR + MINUTE) });
    expect(name.pending).toBeNull();
  });

  it('says since when it waits, so that the canary is asked after that', () => {
    expect(after(absence(at(HOUR))).name.absentSince).toEqual(at(HOUR));
    expect(after(aDnsVeto(at(HOUR))).name.absentSince).toBeNull();
    expect(after().name.absentSince).toBeNull();
  });

  it('is not confirmed if the canary was found before the drop', () => {
    const stale = absence(at(HOUR + MINUTE), { canary: 'found_recently' });
    const { name, news } = after(absence(at(HOUR)), stale);
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'second_lookup', firstSeenAt: at(HOUR) });
  });

  it('is never confirmed without testimony of witnesses', () => {
    const { testimony: _none, ...bare } = absence(at(HOUR + MINUTE));
    expect(after(absence(at(HOUR)), bare).news).toBeNull();
  });

  it('is confirmed if the zone gives no answer', () => {
    expect(after(silent(at(HOUR)), silent(at(HOUR + MINUTE))).news).toMatchObject({ facts: facts.available });
  });

  it.each([
    ['in_zone', 'no_delegation'],
    ['canary_missing', 'canary'],
  ] as const)('is not confirmed while in doubt, however often it is seen: %s', (doubt, waitingFor) => {
    const { name, news } = after(aDoubt(doubt, at(HOUR)), aDoubt(doubt, at(2 * HOUR)), aDoubt(doubt, at(3 * HOUR)));
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ status: 'available', firstSeenAt: at(HOUR), waitingFor });
  });

  it.each(['in_zone', 'canary_missing'] as const)('counts its time anew after a doubt: %s', (doubt) => {
    const seen = [absence(at(HOUR)), aDoubt(doubt, at(HOUR + MINUTE)), absence(at(HOUR + 6 * MINUTE))];
    expect(after(...seen).news).toBeNull();
    expect(after(...seen, absence(at(HOUR + 7 * MINUTE))).news).toMatchObject({
      facts: facts.available,
      observedAt: at(HOUR + 6 * MINUTE),
    });
  });

  it('that the zone contradicts is checked again every five minutes', () => {
    const { name } = after(aDnsVeto(at(HOUR)), aDnsVeto(at(HOUR + 5 * MINUTE)));
    expect(name.nextCheckAt).toEqual(at(HOUR + 10 * MINUTE));
  });

  it('that the zone contradicts is not counted as a failure, and resets the failure count', () => {
    const { name } = after(aFailure(at(HOUR)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ failures: 0, failingSince: null, failureCode: null, lastCheckedAt: at(2 * HOUR) });
  });

  it.each(['canary_missing', 'second_answer'] as const)('of a registry in doubt counts as a failure: %s', (doubt) => {
    const { name } = after(aDoubt(doubt, at(HOUR)), aDoubt(doubt, at(2 * HOUR)));
    expect(name).toMatchObject({ failures: 2, failingSince: at(HOUR), lastCheckedAt: monday });
  });

  it('is forgotten in silence when the registry has a record again', () => {
    for (const record of [anObservation(facts.registered, at(2 * HOUR)), aDoubt('second_answer', at(2 * HOUR))]) {
      const { name, news } = after(absence(at(HOUR)), record);
      expect([name.pending, news]).toEqual([null, null]);
    }
  });

  it('is kept through an error, for a day', () => {
    const seen = [absence(at(HOUR)), aFailure(at(2 * HOUR))];
    expect(after(...seen, absence(at(3 * HOUR))).news).toMatchObject({ facts: facts.available });
    expect(after(...seen, absence(at(26 * HOUR))).news).toBeNull();
  });

  it('that was confirmed before stays confirmed during a doubt, but its date is not updated', () => {
    const { name } = after(absence(at(HOUR)), absence(at(HOUR + MINUTE)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ facts: facts.available, factsConfirmedAt: at(HOUR + MINUTE), pending: null });
    expect(name.nextCheckAt).toEqual(at(2 * HOUR + 5 * MINUTE));
  });
});

describe('after any sequence of lookups', () => {
  const kindOfResult = fc.constantFrom('found', 'failure', 'in_zone', 'canary_missing', 'denied', 'silent');
  const sequence = fc.array(fc.tuple(kindOfResult, fc.integer({ min: 1, max: 400 })), { maxLength: 30 });

  it('a name becomes available only by two believed absences a minute apart, without a doubt between', () => {
    fc.assert(
      fc.property(sequence, (results) => {
        const name = known();
        let seconds = 0;
        let firstAbsence: number | null = null;
        for (const [kind, wait] of results) {
          seconds += wait;
          const when = at(seconds * SECOND);
          const before = isAvailable(name);
          name.applyResult(createResult(kind, when), cadence, when);
          if (kind === 'denied' || kind === 'silent') firstAbsence ??= seconds;
          else if (kind !== 'failure') firstAbsence = null;
          if (before || !isAvailable(name)) continue;
          expect(['denied', 'silent']).toContain(kind);
          expect(seconds - (firstAbsence ?? seconds)).toBeGreaterThanOrEqual(60);
        }
      }),
    );
  });
});

const there = { from: 'registered', to: 'available' } as const;
const back = { from: 'available', to: 'registered' } as const;
const turns = (count: number, apart = HOUR) => {
  let last: StatusTransition | null = null;
  for (let i = 0; i < count; i += 1)
    last = nextTransition(last, { ...(i % 2 === 0 ? there : back), at: at(i * apart) }, DAY);
  return last;
};

describe('a name that comes and goes', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 16],
    [12, 16],
  ])('waits after %s hourly transitions %s times as long for its second lookup', (count, times) => {
    expect(flapBackoff(turns(count), at(count * HOUR), DAY)).toBe(times);
  });

  it('stops flapping after a day without a transition', () => {
    const last = turns(5);
    expect(flapBackoff(last, at(4 * HOUR + DAY + 1), DAY)).toBe(1);
    expect(nextTransition(last, { ...back, at: inDays(3) }, DAY).flaps).toBe(0);
  });

  it('is not counted as flapping when it moves forward through its life cycle', () => {
    const first = nextTransition(null, { from: 'expiring', to: 'pending_delete', at: monday }, DAY);
    expect(nextTransition(first, { from: 'pending_delete', to: 'available', at: at(HOUR) }, DAY).flaps).toBe(0);
  });
});

function isAvailable({ facts }: WatchedName): boolean {
  return facts?.outcome === 'absent';
}

function createResult(kind: string, when: Date): LookupResult {
  if (kind === 'found') return anObservation(facts.registered, when);
  if (kind === 'failure') return aFailure(when);
  if (kind === 'in_zone' || kind === 'canary_missing') return aDoubt(kind, when);
  return kind === 'silent' ? silent(when) : absence(when);
}
