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

describe('the reason of an early check', () => {
  it.each([
    ['after a failure', { failing: { since: LAST, code: 'registry_timeout', failures: 1 } }, /last check failed/],
    ['before the first answer', { last_checked_at: null }, /first one/],
    ['with a change to confirm', { pending_confirmation: pending }, /confirm a change/],
    ['while the name is deleted', { phase: 'redemption' as const }, /being deleted/],
    ['after a drop', { phase: 'available' as const }, /became available/],
    ['near the expiry', { expires_at: '2026-11-26T20:00:00.000Z' }, /day of the expiry/],
    ['of a simulated name', { domain: 'lifecycle-60s.test' }, /simulated/],
    ['within minutes, where nothing is said of it', { next_check_at: '2026-11-26T06:00:59.000Z' }, /ask once more/],
    ['otherwise', {}, /spread over the interval/],
  ])('has words %s', (_, changes, reason) => {
    expect(soonReason(anEntry(changes))).toMatch(reason);
  });

  it('is not shown for a check that comes with the interval, or if none is planned', () => {
    expect(soonReason(anEntry({ next_check_at: '2026-11-26T11:30:00.000Z' }))).toBeNull();
    expect(soonReason(anEntry({ next_check_at: null }))).toBeNull();
  });
});

describe('the reason why checks fail', () => {
  it('is put in words, and an unknown code is shown', () => {
    expect(failureReason('registry_timeout')).toBe('The registry does not answer in time');
    expect(failureReason('odd')).toBe('The registry gives no answer (odd)');
  });
});
