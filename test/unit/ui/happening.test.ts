import { describe, expect, it } from '@jest/globals';
import { happeningText } from '../../../ui/src/screens/notifications/event-words.js';

const DROPPED = {
  event_type: 'watchlist.available',
  phase: 'available',
  previous_phase: 'pending_delete',
  move: 'dropped',
  kind: null,
  threshold_days: null,
  due_on: null,
} as const;

describe('what a delivery told, on the dashboard', () => {
  it('is the phase before and after', () => {
    expect(happeningText(DROPPED)).toBe('Pending delete → Available');
  });

  it('is the first answer alone where nobody saw what was before', () => {
    const first = { ...DROPPED, previous_phase: 'registered', move: 'discovered' } as const;
    expect(happeningText(first)).toBe('First answer: Available');
  });

  it('is the day that a reminder is about, not how early it reminds', () => {
    const expiring = { ...DROPPED, event_type: 'watchlist.expiring', phase: 'registered', move: null } as const;
    const reminder = { ...expiring, previous_phase: 'registered', threshold_days: 60, due_on: '2026-12-28' } as const;
    expect(happeningText(reminder)).toBe('Reminder for 28 Dec 2026');
  });
});
