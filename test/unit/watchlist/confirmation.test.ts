import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LookupResult } from '../../../src/domains/language.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/kernel/clock.js';
import { flapBackoff, nextTransition, type StatusTransition } from '../../../src/watchlist/domain/confirmation.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { aSchedule, aFailure, aName, anObservation, at, aDnsVeto, facts, inDays, monday } from './builders.js';

const cadence = aSchedule();
const known = () => {
  const name = aName(1_440);
  name.applyResult(anObservation(facts.registered), cadence, monday);
  return name;
};
const absence = (when: Date, delegation?: 'not_delegated' | 'inconclusive') =>
  anObservation(facts.available, when, delegation ? { delegation } : {});
/** Applies these results in order. */
const after = (...results: readonly LookupResult[]) => {
  const name = known();
  const news = results.map((result) => name.applyResult(result, cadence, result.observedAt));
  return { name, news: news.at(-1) ?? null };
};

describe('an absence with a DNS witness', () => {
  it('is confirmed by the second lookup when the parent zone does not delegate the name', () => {
    const { name, news } = after(absence(at(HOUR), 'not_delegated'), absence(at(HOUR + MINUTE), 'not_delegated'));
    expect(news).toMatchObject({ facts: facts.available, observedAt: at(HOUR), confirmedAt: at(HOUR + MINUTE) });
    expect(name.pending).toBeNull();
  });

  it('is not confirmed at once by a missing delegation alone', () => {
    expect(after(absence(at(HOUR), 'not_delegated')).news).toBeNull();
  });

  it('stays vetoed when DNS is inconclusive for longer than a candidate stays valid', () => {
    const silent = [26 * HOUR, 26 * HOUR + MINUTE, 27 * HOUR].map((when) => absence(at(when), 'inconclusive'));
    const { name, news } = after(aDnsVeto(at(HOUR)), ...silent);
    expect(news).toBeNull();
    expect(name).toMatchObject({ facts: facts.registered, pending: { waitingFor: 'no_delegation' } });
  });

  it('is kept while a delegation vetoes it, and checked again every five minutes', () => {
    const { name, news } = after(aDnsVeto(at(HOUR)), aDnsVeto(at(HOUR + 5 * MINUTE)));
    expect(news).toBeNull();
    expect(name.nextCheckAt).toEqual(at(HOUR + 10 * MINUTE));
    expect(name.pending).toMatchObject({ status: 'available', firstSeenAt: at(HOUR), waitingFor: 'no_delegation' });
  });

  it('is confirmed when the veto ends, because the registry has answered twice by then', () => {
    const { news } = after(aDnsVeto(at(HOUR)), absence(at(HOUR + 5 * MINUTE), 'not_delegated'));
    expect(news).toMatchObject({ facts: facts.available, observedAt: at(HOUR) });
  });

  it('is vetoed also where two protocols agree', () => {
    const both = anObservation(facts.available, at(HOUR), { witnesses: 2 });
    const { name, news } = after({ ...aDnsVeto(at(HOUR)), dnsVetoed: both });
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'no_delegation' });
  });

  it('that is vetoed counts no failure, and ends those before', () => {
    const { name } = after(aFailure(at(HOUR)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ failures: 0, failingSince: null, failureCode: null, lastCheckedAt: at(2 * HOUR) });
  });

  it('is forgotten in silence when the registry finds the name again', () => {
    const { name, news } = after(aDnsVeto(at(HOUR)), anObservation(facts.registered, at(HOUR + MINUTE)));
    expect([name.pending, news]).toEqual([null, null]);
  });

  it('that was known before stays known under a veto, but is no fresh proof', () => {
    const { name } = after(absence(at(HOUR)), absence(at(HOUR + MINUTE)), aDnsVeto(at(2 * HOUR)));
    expect(name).toMatchObject({ facts: facts.available, factsConfirmedAt: at(HOUR + MINUTE), pending: null });
    expect(name.nextCheckAt).toEqual(at(2 * HOUR + 5 * MINUTE));
  });
});

describe('an inconclusive DNS', () => {
  const afterInconclusive = (...seconds: number[]) =>
    after(...seconds.map((s) => absence(at(s * SECOND), 'inconclusive')));

  it('is queried every half minute once nothing else is missing', () => {
    const { name, news } = afterInconclusive(3_600, 3_660);
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'dns_answer', dnsInconclusiveSince: at(3_660 * SECOND) });
    expect(name.nextCheckAt).toEqual(at(3_690 * SECOND));
  });

  it('is waited for two minutes, and not a second longer', () => {
    expect(afterInconclusive(3_600, 3_660, 3_690, 3_720, 3_750, 3_779).news).toBeNull();
    expect(afterInconclusive(3_600, 3_660, 3_690, 3_720, 3_750, 3_780).news).toMatchObject({ facts: facts.available });
  });

  it('never delays longer because a lookup is late', () => {
    const { name } = afterInconclusive(3_600, 3_660, 3_760);
    expect(name.nextCheckAt).toEqual(at(3_780 * SECOND));
  });

  it('is waited for also where two protocols agree', () => {
    const result = anObservation(facts.available, at(HOUR), { witnesses: 2, delegation: 'inconclusive' });
    expect(after(result)).toMatchObject({ news: null, name: { pending: { waitingFor: 'dns_answer' } } });
  });

  it('ends the wait when it becomes conclusive', () => {
    const conclusive = absence(at(3_670 * SECOND), 'not_delegated');
    const { news } = after(...[3_600, 3_660].map((s) => absence(at(s * SECOND), 'inconclusive')), conclusive);
    expect(news).toMatchObject({ facts: facts.available });
  });

  it('takes no veto back by its silence', () => {
    const { name, news } = after(
      aDnsVeto(at(HOUR)),
      absence(at(HOUR + 5 * MINUTE), 'inconclusive'),
      absence(at(HOUR + 10 * MINUTE), 'inconclusive'),
    );
    expect(news).toBeNull();
    expect(name.pending).toMatchObject({ waitingFor: 'no_delegation' });
  });

  it('makes fast motion wait for less', () => {
    const name = known();
    const fast = aSchedule({ timeScale: 60 });
    for (const seconds of [3_600, 3_601]) {
      const when = at(seconds * SECOND);
      name.applyResult(absence(when, 'inconclusive'), fast, when);
    }
    expect(name.nextCheckAt).toEqual(at(3_601.5 * SECOND));
    const end = at(3_603 * SECOND);
    expect(name.applyResult(absence(end, 'inconclusive'), fast, end)).toMatchObject({ facts: facts.available });
  });
});

describe('whatever is seen in whatever order', () => {
  const kindOfResult = fc.constantFrom('found', 'failure', 'veto', 'not_delegated', 'inconclusive');
  const sequence = fc.array(fc.tuple(kindOfResult, fc.integer({ min: 1, max: 400 })), { maxLength: 30 });

  it('a name becomes available by two absences of the registry a minute apart, the last without a veto', () => {
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
          if (kind === 'found') firstAbsence = null;
          else if (kind !== 'failure') firstAbsence ??= seconds;
          if (before || !isAvailable(name)) continue;
          expect(['not_delegated', 'inconclusive']).toContain(kind);
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
  ])('waits, after %s transitions an hour apart, %s times as long for its second witness', (count, times) => {
    expect(flapBackoff(turns(count), at(count * HOUR), DAY)).toBe(times);
  });

  it('stops flapping after a day without a transition', () => {
    const last = turns(5);
    expect(flapBackoff(last, at(4 * HOUR + DAY + 1), DAY)).toBe(1);
    expect(nextTransition(last, { ...back, at: inDays(3) }, DAY).flaps).toBe(0);
  });

  it('does not flap by going on: a life has many turns', () => {
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
  return kind === 'veto' ? aDnsVeto(when) : absence(when, kind === 'inconclusive' ? kind : 'not_delegated');
}
