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

describe('a not-found answer about a registered name', () => {
  it('is confirmed by a second not-found answer a minute later', () => {
    const { name, news } = after(absence(at(HOUR)), absence(at(HOUR + MINUTE)));
    expect(news).toMatchObject({ facts: facts.available, observedAt: at(HOUR), confirmedAt: at(HOUR + MINUTE) });
    expect(name.pending).toBeNull();
  });

  it('is noted with the time (absentSince) unless the DNS zone contradicts', () => {
    expect(after(absence(at(HOUR))).name.absentSince).toEqual(at(HOUR));
    expect(after(aDnsVeto(at(HOUR))).name.absentSince).toBeNull();
    expect(after().name.absentSince).toBeNull();
  });

  it('is not confirmed if the lookup of a name known to be registered was earlier', () => {
    const stale = absence(at(HOUR + MINUTE), { canary: 'found_recently' });
    const { name, news } = after(absence(at(HOUR)), stale);
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'second_lookup', firstSeenAt: at(HOUR) });
  });

  it('is not confirmed by a second answer without evidence from other queries', () => {
    const { testimony: _none, ...bare } = absence(at(HOUR + MINUTE));
    expect(after(absence(at(HOUR)), bare).news).toBeNull();
  });

  it('is confirmed by a second one even if the DNS zone does not answer', () => {
    expect(after(silent(at(HOUR)), silent(at(HOUR + MINUTE))).news).toMatchObject({ facts: facts.available });
  });

  it.each([
    ['in_zone', 'no_delegation'],
    ['canary_missing', 'canary'],
  ] as const)('is not confirmed by repetition while the answers cannot be trusted: %s', (doubt, waitingFor) => {
    const { name, news } = after(aDoubt(doubt, at(HOUR)), aDoubt(doubt, at(2 * HOUR)), aDoubt(doubt, at(3 * HOUR)));
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ status: 'available', firstSeenAt: at(HOUR), waitingFor });
  });

  it.each(['in_zone', 'canary_missing'] as const)(
    'needs two new answers a minute apart after one that cannot be trusted: %s',
    (doubt) => {
      const seen = [absence(at(HOUR)), aDoubt(doubt, at(HOUR + MINUTE)), absence(at(HOUR + 6 * MINUTE))];
      expect(after(...seen).news).toBeNull();
      expect(after(...seen, absence(at(HOUR + 7 * MINUTE))).news).toMatchObject({
        facts: facts.available,
        observedAt: at(HOUR + 6 * MINUTE),
      });
    },
  );

  it('is checked again every five minutes while the DNS zone contradicts', () => {
    const { name } = after(aDnsVeto(at(HOUR)), aDnsVeto(at(HOUR + 5 * MINUTE)));
    expect(name.nextCheckAt).toEqual(at(HOUR + 10 * MINUTE));
  });

  it('resets the count of failed checks, even if the DNS zone contradicts', () => {
    const { name } = after(aFailure(at(HOUR)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ failures: 0, failingSince: null, failureCode: null, lastCheckedAt: at(2 * HOUR) });
  });

  it.each(['canary_missing', 'second_answer'] as const)(
    'counts as a failed check if the registry cannot be trusted: %s',
    (doubt) => {
      const { name } = after(aDoubt(doubt, at(HOUR)), aDoubt(doubt, at(2 * HOUR)));
      expect(name).toMatchObject({ failures: 2, failingSince: at(HOUR), lastCheckedAt: monday });
    },
  );

  it('is forgotten without a reported change when the registry finds the name again', () => {
    for (const record of [anObservation(facts.registered, at(2 * HOUR)), aDoubt('second_answer', at(2 * HOUR))]) {
      const { name, news } = after(absence(at(HOUR)), record);
      expect([name.pending, news]).toEqual([null, null]);
    }
  });

  it('can still be confirmed within a day despite a failed lookup, but not later', () => {
    const seen = [absence(at(HOUR)), aFailure(at(2 * HOUR))];
    expect(after(...seen, absence(at(3 * HOUR))).news).toMatchObject({ facts: facts.available });
    expect(after(...seen, absence(at(26 * HOUR))).news).toBeNull();
  });

  it('stays confirmed with the same date if the DNS zone contradicts later', () => {
    const { name } = after(absence(at(HOUR)), absence(at(HOUR + MINUTE)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ facts: facts.available, factsConfirmedAt: at(HOUR + MINUTE), pending: null });
    expect(name.nextCheckAt).toEqual(at(2 * HOUR + 5 * MINUTE));
  });
});

describe('a name, after any sequence of lookups', () => {
  const kindOfResult = fc.constantFrom('found', 'failure', 'in_zone', 'canary_missing', 'denied', 'silent');
  const sequence = fc.array(fc.tuple(kindOfResult, fc.integer({ min: 1, max: 400 })), { maxLength: 30 });

  it('becomes available only by two trusted not-found answers a minute apart, with only failures between', () => {
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

describe('the wait before a name’s second lookup', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 16],
    [12, 16],
  ])('is, after %s hourly status changes to and fro, %s times as long', (count, times) => {
    expect(flapBackoff(turns(count), at(count * HOUR), DAY)).toBe(times);
  });

  it('is normal again after a day without a status change', () => {
    const last = turns(5);
    expect(flapBackoff(last, at(4 * HOUR + DAY + 1), DAY)).toBe(1);
    expect(nextTransition(last, { ...back, at: inDays(3) }, DAY).flaps).toBe(0);
  });

  it('stays normal if the status only moves forward through the life cycle', () => {
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
