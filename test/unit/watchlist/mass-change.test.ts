import { describe, expect, it } from '@jest/globals';
import { found } from '../../../src/domains/language.js';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { WatchEntry } from '../../../src/watchlist/domain/entry/watch-entry.js';
import {
  type ChangeWindow,
  countChange,
  type MassChange,
  massChangeKey,
} from '../../../src/watchlist/domain/policies/mass-change.js';
import { aNewWatch, at, monday } from './builders.js';

const LIMIT = 3;
/** What is sent of changes at these minutes: each by itself, with others, or not at all. */
const sent = (minutes: readonly number[]) => {
  let window: ChangeWindow = { startedAt: at((minutes[0] ?? 0) * MINUTE), changes: 0, isMass: false };
  return minutes.map((minute) => {
    let mass: MassChange | null;
    ({ window, mass } = countChange(window, at(minute * MINUTE), LIMIT, TimeUnits.REAL));
    if (!mass) return 'alone';
    return mass.isSummary ? `with ${mass.others} since ${(mass.since.getTime() - monday.getTime()) / MINUTE}` : 'not';
  });
};

describe('equal changes of many names', () => {
  it('are sent one by one up to the limit, and once an hour beyond it', () => {
    expect(sent([0, 1, 2, 3, 4, 59])).toEqual(['alone', 'alone', 'alone', 'with 3 since 0', 'not', 'not']);
    expect(sent([0, 1, 2, 3, 4, 60, 61, 119, 121])).toEqual([
      ...['alone', 'alone', 'alone', 'with 3 since 0', 'not', 'with 5 since 0', 'not', 'not'],
      'with 3 since 60',
    ]);
  });

  it('are no mass when they are far apart, or when the last one is long over', () => {
    expect(sent([0, 1, 2, 61, 62, 63])).toEqual(['alone', 'alone', 'alone', 'alone', 'alone', 'alone']);
    expect(sent([0, 1, 2, 3, 120])).toEqual(['alone', 'alone', 'alone', 'with 3 since 0', 'alone']);
  });
});

describe('the key of a change', () => {
  const watcher = { intent: 'own', tags: ['b', 'a'] };
  const change = { kind: 'registrar', after: { name: 'Two, Inc.', iana_id: '2' }, isReturn: false } as const;
  const key = massChangeKey('acme', change, watcher);

  it('is the same for the same new value, whatever the former one', () => {
    expect(massChangeKey('acme', change, { ...watcher, tags: ['a', 'b'] })).toBe(key);
    const ds = (digest: string) => [{ key_tag: 1, algorithm: 13, digest_type: 2, digest }];
    const [one, other] = ['AA', 'BB'].map((digest) =>
      massChangeKey('acme', { kind: 'ds', after: ds(digest), isReturn: false }, watcher),
    );
    expect(one).toBe(other); // each name has keys of its own
  });

  it('is another one for another value, registry or watcher, and for a value that comes back', () => {
    const keys = [
      massChangeKey('acme', { ...change, after: { name: 'Three', iana_id: '3' } }, watcher),
      massChangeKey('umbrella', change, watcher),
      massChangeKey('acme', change, { ...watcher, intent: 'monitor' }),
      massChangeKey('acme', change, { ...watcher, tags: [] }),
      massChangeKey('acme', { ...change, isReturn: true }, watcher),
    ];
    expect(new Set([key, ...keys]).size).toBe(6);
  });
});

describe('EPP statuses that change', () => {
  const facts = found({ registeredAt: at(-1_000 * HOUR), expiresAt: at(9_000 * HOUR), statuses: ['client hold'] });
  const confirmed = { facts, source: 'rdap', observedAt: monday, confirmedAt: monday };
  const evidenced = { ...confirmed, previousConfirmedAt: null, evidence: [] };

  it.each([
    [['active'], true],
    [['client hold', 'client transfer prohibited'], undefined],
  ])('from %j are part of a move where the phase was another one', (before, partOfMove) => {
    const entry = WatchEntry.start({ ...aNewWatch(), intent: 'own' }, null, monday);
    entry.applyFacts(evidenced, monday);
    entry.releaseEvents();
    entry.notifyRecordChange({ kind: 'statuses', before, after: ['client hold'] }, confirmed, monday);
    expect(entry.phase).toBe('hold');
    expect(entry.releaseEvents().map(({ payload }) => (payload as Record<string, unknown>)['part_of_move'])).toEqual([
      partOfMove,
    ]);
  });
});
