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

describe('the dashboard’s text for a delivery', () => {
  it('shows the phase before and the phase after the change', () => {
    expect(happeningText(DROPPED)).toBe('Pending delete → Available');
  });

  it('shows only the new phase if the event reports the first answer about the name', () => {
    const first = { ...DROPPED, previous_phase: 'registered', move: 'discovered' } as const;
    expect(happeningText(first)).toBe('First answer: Available');
  });

  it('shows the date that a reminder is about, not the number of days before that date', () => {
    const expiring = { ...DROPPED, event_type: 'watchlist.expiring', phase: 'registered', move: null } as const;
    const reminder = { ...expiring, previous_phase: 'registered', threshold_days: 60, due_on: '2026-12-28' } as const;
    expect(happeningText(reminder)).toBe('Reminder for 28 Dec 2026');
  });
});
