import { describe, expect, it } from '@jest/globals';
import { failureReason, soonReason } from '../../../ui/src/screens/name/check-words.js';

const LAST = '2026-11-26T06:00:00.000Z';
const anEntry = (changes: Partial<Parameters<typeof soonReason>[0]> = {}) => ({
  domain: 'shop.example',
  phase: 'registered' as const,
  expires_at: null,
  pending_confirmation: null,
  failing: null,
  effective_interval_minutes: 360,
  last_checked_at: LAST,
  next_check_at: '2026-11-26T06:05:00.000Z',
  ...changes,
});
const pending = {
  status: 'available',
  first_seen_at: LAST,
  not_before: LAST,
  waiting_for: 'second_lookup' as const,
};

describe('the reason shown for an early check', () => {
  it.each([
    ['after a failure', { failing: { since: LAST, code: 'registry_timeout', failures: 1 } }, /last check failed/],
    ['before the first answer', { last_checked_at: null }, /first one/],
    ['with a change to confirm', { pending_confirmation: pending }, /confirm a change/],
    ['while the name is being deleted', { phase: 'redemption' as const }, /being deleted/],
    ['after the name became available', { phase: 'available' as const }, /became available/],
    ['on the day of the expiry', { expires_at: '2026-11-26T20:00:00.000Z' }, /day of the expiry/],
    ['for a simulated name', { domain: 'lifecycle-60s.test' }, /simulated/],
    [
      'within minutes of the last check, for no known reason',
      { next_check_at: '2026-11-26T06:00:59.000Z' },
      /ask once more/,
    ],
    ['no other reason applies', {}, /spread over the interval/],
  ])('is a sentence in this case: %s', (_, changes, reason) => {
    expect(soonReason(anEntry(changes))).toMatch(reason);
  });

  it('is not shown if the next check comes after the usual interval, or none is planned', () => {
    expect(soonReason(anEntry({ next_check_at: '2026-11-26T11:30:00.000Z' }))).toBeNull();
    expect(soonReason(anEntry({ next_check_at: null }))).toBeNull();
  });
});

describe('the reason shown for failing checks', () => {
  it('is a sentence for each known error code, and includes an unknown code itself', () => {
    expect(failureReason('registry_timeout')).toBe('The registry does not answer in time');
    expect(failureReason('odd')).toBe('The registry gives no answer (odd)');
  });
});
