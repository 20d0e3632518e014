import { describe, expect, it } from '@jest/globals';
import { found } from '../../../src/domains/language.js';
import { HOUR } from '../../../src/kernel/clock.js';
import { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { aNewWatch, at, monday } from './builders.js';

describe('the event about changed EPP statuses', () => {
  const facts = found({ registeredAt: at(-1_000 * HOUR), expiresAt: at(9_000 * HOUR), statuses: ['client hold'] });
  const confirmed = { facts, source: 'rdap', observedAt: monday, confirmedAt: monday };
  const evidenced = { ...confirmed, previousConfirmedAt: null, evidence: [] };

  it.each([
    [['active'], true],
    [['client hold', 'client transfer prohibited'], undefined],
  ])('says whether the phase changed too: from %j, part_of_move is %s', (before, partOfMove) => {
    const entry = WatchEntry.start({ ...aNewWatch(), purpose: 'own' }, monday);
    entry.applyFacts(evidenced, monday);
    entry.releaseEvents();
    entry.notifyRecordChange({ kind: 'statuses', before, after: ['client hold'] }, confirmed, monday);
    expect(entry.phase).toBe('hold');
    expect(entry.releaseEvents().map(({ payload }) => (payload as Record<string, unknown>)['part_of_move'])).toEqual([
      partOfMove,
    ]);
  });
});
