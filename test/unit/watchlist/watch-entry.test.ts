import { describe, expect, it } from '@jest/globals';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { aWatch, facts, inDays, monday, confirmed, type Situation, publicEvents } from './builders.js';

const moveOf = (entry: WatchEntry) => publicEvents(entry).map((event) => (event.payload as { move: string }).move);

describe('a new entry', () => {
  it('has the status "registered" before the first answer', () => {
    expect(aWatch()).toMatchObject({ status: 'registered', phase: 'registered', changeSeq: 0 });
  });

  it('publishes nothing if the first answer is also "registered"', () => {
    const entry = aWatch();
    entry.applyFacts(confirmed(facts.registered), monday);
    expect(entry).toMatchObject({ status: 'registered', changeSeq: 0 });
    expect(publicEvents(entry)).toEqual([]);
  });

  it.each(['available', 'expiring', 'redemption', 'hold', 'reserved'] as const)(
    'publishes the move "discovered" if the first answer is: %s',
    (situation) => {
      const entry = aWatch();
      entry.applyFacts(confirmed(facts[situation]), monday);
      expect(moveOf(entry)).toEqual(['discovered']);
    },
  );

  it('is due for evaluation at once, and after the answer "available" has no due time', () => {
    expect(aWatch().boundaryAt).toEqual(monday);
    expect(aWatch('available').boundaryAt).toBeNull();
  });
});

describe('the change of an entry', () => {
  it.each<[Situation, Situation, string]>([
    ['registered', 'available', 'dropped'],
    ['pendingDelete', 'available', 'dropped'],
    ['reserved', 'available', 'dropped'],
    ['available', 'registered', 'caught'],
    ['available', 'expiring', 'caught'],
    ['available', 'reserved', 'withdrawn'],
    ['registered', 'redemption', 'deletion_started'],
    ['expiring', 'pendingDelete', 'deletion_started'],
    ['redemption', 'registered', 'restored'],
    ['redemption', 'expiring', 'restored'],
    ['pendingDelete', 'caught', 'caught'],
    ['registered', 'expiring', 'expiring'],
    ['expiring', 'renewed', 'renewed'],
    ['registered', 'caught', 'caught'],
    ['expiring', 'caught', 'caught'],
    ['redemption', 'pendingDelete', 'phase_changed'],
    ['registered', 'hold', 'phase_changed'],
    ['hold', 'registered', 'phase_changed'],
    ['registered', 'reserved', 'phase_changed'],
  ])('from %s to %s is published as the move "%s"', (from, to, move) => {
    const entry = aWatch(from);
    const before = entry.changeSeq;
    entry.applyFacts(confirmed(facts[to]), monday);
    expect(moveOf(entry)).toEqual([move]);
    expect(entry.changeSeq).toBe(before + 1);
  });

  it('from expiring to registered is "reclassified" if the expiry date was corrected by weeks', () => {
    const entry = aWatch('expiring');
    entry.applyFacts(confirmed({ ...facts.expiring, expiresAt: inDays(37) }), monday);
    expect(moveOf(entry)).toEqual(['reclassified']);
  });

  it('from expiring is "renewed" once the grace period of an automatic renewal is over', () => {
    const entry = aWatch('expiring');
    const renewedInGrace = { ...facts.renewed, statuses: ['auto renew period'] };
    for (const proof of [renewedInGrace, renewedInGrace, facts.renewed]) entry.applyFacts(confirmed(proof), monday);
    expect(moveOf(entry)).toEqual(['phase_changed', 'renewed']);
  });

  it('from registered to expiring comes at a time computed in advance, without new facts', () => {
    const entry = aWatch('registered');
    expect(aWatch('registered', 90).boundaryAt).toEqual(inDays(210));
    entry.applyFacts(confirmed(facts.registered), inDays(271));
    expect(moveOf(entry)).toEqual(['expiring']);
  });
});

describe('an entry with an unchanged status', () => {
  it.each<Situation>(['registered', 'expiring', 'redemption', 'available', 'reserved', 'hold'])(
    'publishes nothing if the same answer comes again: %s',
    (situation) => {
      const entry = aWatch(situation);
      const { changeSeq } = entry;
      entry.applyFacts(confirmed(facts[situation]), monday);
      expect(entry.changeSeq).toBe(changeSeq);
      expect(publicEvents(entry)).toEqual([]);
    },
  );

  it('publishes nothing if a registration far from its expiry is renewed', () => {
    const entry = aWatch('registered');
    entry.applyFacts(confirmed(facts.renewed), monday);
    expect(publicEvents(entry)).toEqual([]);
  });
});

describe('the event of a status change', () => {
  it('contains the previous state, the new state and its source', () => {
    const entry = aWatch('pendingDelete');
    entry.applyFacts({ ...confirmed(facts.available, inDays(-1)), confirmedAt: monday }, monday);
    const [event] = entry.releaseEvents();
    expect(event).toMatchObject({
      type: 'watchlist.available',
      accountId: 'acc_1',
      occurredAt: monday,
      payload: {
        entry_id: entry.id,
        domain: 'lapsed.example',
        status: 'available',
        previous_status: 'pending_delete',
        phase: 'available',
        previous_phase: 'pending_delete',
        move: 'dropped',
        change_seq: entry.changeSeq,
        expires_at: null,
        source: 'rdap',
        observed_at: inDays(-1).toISOString(),
        confirmed_at: monday.toISOString(),
        threshold_days: null,
        tags: [],
        purpose: 'monitor',
      },
    });
  });

  it.each<[Situation, Situation, string]>([
    ['registered', 'available', 'watchlist.available'],
    ['registered', 'expiring', 'watchlist.status_changed'],
    ['redemption', 'pendingDelete', 'watchlist.phase_changed'],
    ['registered', 'caught', 'watchlist.status_changed'],
  ])('from %s to %s has the type %s', (from, to, type) => {
    const entry = aWatch(from);
    entry.applyFacts(confirmed(facts[to]), monday);
    expect(publicEvents(entry)).toMatchObject([{ type }]);
  });
});
