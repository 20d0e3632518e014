import { describe, expect, it } from '@jest/globals';
import { after, MINUTE } from '../../../src/kernel/clock.js';
import type { Evidence } from '../../../src/domains/language.js';
import type { ConfirmedFactsWithEvidence, FailureStreak } from '../../../src/watchlist/domain/confirmed-facts.js';
import type { PendingConfirmation } from '../../../src/watchlist/domain/confirmation.js';
import { Visibility } from '../../../src/watchlist/domain/visibility.js';

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

describe('an entry', () => {
  const visibility = new Visibility(false);

  it('sees all that is known of its name, whoever caused the check', () => {
    expect(visibility.evidenced(facts(-9, -5), entry)).toEqual(facts(-9, -5));
    expect(visibility.confirmed(facts(-9, -5), entry)).toEqual(facts(-9, -5));
    expect(visibility.failures(streak(-5), entry)).toEqual(streak(-5));
    expect(visibility.pending(pending, entry)).toEqual(pending);
    expect(visibility.earlier('known')).toBe('known');
  });
});

describe('an entry of an isolated account', () => {
  const visibility = new Visibility(true);

  it('sees nothing from before it was created', () => {
    expect(visibility.confirmed(facts(-9, -5), entry)).toBeNull();
    expect(visibility.earlier('known')).toBeNull();
    expect(visibility.failures(streak(-5), entry)).toEqual({ ...streak(0), failures: 1 });
    expect(visibility.pending(pending, entry)).toEqual({ ...pending, firstSeenAt: CREATED, notBefore: CREATED });
  });

  it('sees of facts that were confirmed since no earlier time and no earlier evidence', () => {
    expect(visibility.evidenced(facts(-9, 5), entry)).toEqual({
      ...facts(0, 5),
      previousConfirmedAt: null,
      evidence: [seenAt(minutes(5))],
    });
    expect(visibility.confirmed(facts(-9, 5), entry)?.observedAt).toEqual(CREATED);
  });

  it('sees what happened since as it was', () => {
    expect(visibility.evidenced(facts(2, 5), entry)).toEqual(facts(2, 5));
    expect(visibility.failures(streak(5), entry)).toEqual(streak(5));
    const later = { ...pending, firstSeenAt: minutes(1), notBefore: minutes(3) };
    expect(visibility.pending(later, entry)).toEqual(later);
  });
});
