import { describe, expect, it } from '@jest/globals';
import { after, MINUTE } from '../../../src/kernel/clock.js';
import type { Evidence } from '../../../src/domains/language.js';
import type { ConfirmedFactsWithEvidence, FailureStreak } from '../../../src/watchlist/domain/confirmed-facts.js';
import type { PendingConfirmation } from '../../../src/watchlist/domain/confirmation.js';
import {
  confirmedSince,
  evidencedSince,
  failuresSince,
  pendingSince,
} from '../../../src/watchlist/domain/visibility.js';

const CREATED = new Date('2026-11-21T12:00:00Z');
const entry = { createdAt: CREATED };
const minutes = (count: number) => after(CREATED, count * MINUTE);
const seenAt = (observedAt: Date) => ({ observedAt }) as Evidence;
const facts = (observed: number, confirmed: number) =>
  ({
    facts: { outcome: 'found' },
    observedAt: minutes(observed),
    confirmedAt: minutes(confirmed),
    previousConfirmedAt: minutes(observed - 1),
    evidence: [seenAt(minutes(observed)), seenAt(minutes(confirmed))],
  }) as unknown as ConfirmedFactsWithEvidence;
const streak = (since: number): FailureStreak => ({ code: 'registry_timeout', since: minutes(since), failures: 7 });
const pending = { status: 'available', firstSeenAt: minutes(-9), notBefore: minutes(-4) } as PendingConfirmation;

describe('a watchlist entry', () => {
  it('hides facts from before its creation, and counts earlier failures as one', () => {
    expect(confirmedSince(entry, facts(-9, -5))).toBeNull();
    expect(failuresSince(entry, streak(-5))).toEqual({ ...streak(0), failures: 1 });
    expect(pendingSince(entry, pending)).toEqual({ ...pending, firstSeenAt: CREATED, notBefore: CREATED });
  });

  it('shows its creation in place of earlier times, and no evidence from before', () => {
    expect(evidencedSince(entry, facts(-9, 5))).toEqual({
      ...facts(-9, 5),
      observedAt: CREATED,
      previousConfirmedAt: null,
      evidence: [seenAt(minutes(5))],
    });
    expect(confirmedSince(entry, facts(-9, 5))?.observedAt).toEqual(CREATED);
  });

  it('shows everything unchanged that was found after its creation', () => {
    expect(evidencedSince(entry, facts(2, 5))).toEqual(facts(2, 5));
    expect(failuresSince(entry, streak(5))).toEqual(streak(5));
    const later = { ...pending, firstSeenAt: minutes(1) };
    expect(pendingSince(entry, later)).toEqual(later);
  });
});
