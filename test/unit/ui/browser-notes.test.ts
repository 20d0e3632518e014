import { describe, expect, it } from '@jest/globals';
import type { Event } from '../../../clients/typescript/src/index.js';
import { toBrowserNotes } from '../../../ui/src/screens/notifications/browser-notes.js';

const changed = (n: number, data: object = {}) =>
  ({
    id: `evt_${n}`,
    type: 'watchlist.available',
    timestamp: '2026-11-28T12:00:00.000Z',
    data: {
      domain_unicode: `n${n}.example`,
      phase: 'available',
      previous_phase: 'pending_delete',
      move: 'dropped',
      ...data,
    },
  }) as unknown as Event;
const TEST = { id: 'evt_9', type: 'channel.test', data: { message: 'a test' } } as unknown as Event;

describe('a browser notification of the dashboard', () => {
  it('shows the domain name and both phases, and has the event’s id as its tag', () => {
    expect(toBrowserNotes([changed(1)])).toEqual([
      { title: 'n1.example', body: 'Pending delete → Available', tag: 'evt_1' },
    ]);
  });

  it('is not shown for an event without a domain name', () => {
    expect(toBrowserNotes([TEST])).toEqual([]);
  });

  it('sums up many changes at once with their number and the first three names', () => {
    const many = Array.from({ length: 1_200 }, (_, n) => changed(n));
    expect(toBrowserNotes(many)).toEqual([
      { title: '1,200 changes', body: 'n0.example, n1.example, n2.example and 1,197 more', tag: 'evt_0' },
    ]);
  });
});
