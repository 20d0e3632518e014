import type { Evidence } from '../../domains/language.js';
import { latest } from '../../kernel/clock.js';
import type { ConfirmedFacts, ConfirmedFactsWithEvidence, FailureStreak } from './confirmed-facts.js';
import type { PendingConfirmation } from './confirmation.js';

interface Watching {
  readonly createdAt: Date;
}

/**
 * Decides what an entry shows of what is known of its name. With isolated accounts that is nothing from before the entry
 * was created: checks for other accounts brought it, and would tell that they watch the name. This class has the rule for
 * objects, `visibleColumns` has it for queries.
 */
export class Visibility {
  constructor(readonly isIsolated: boolean) {}

  /** Returns since when the entry sees its name. */
  since({ createdAt }: Watching): Date {
    return this.isIsolated ? createdAt : new Date(0);
  }

  /** Returns what was known before the entry began to watch the name, or watched it again. */
  earlier<Known>(known: Known | null): Known | null {
    return this.isIsolated ? null : known;
  }

  confirmed(facts: ConfirmedFacts | null, entry: Watching): ConfirmedFacts | null {
    const since = this.since(entry);
    return facts && facts.confirmedAt >= since ? { ...facts, observedAt: latest(facts.observedAt, since) } : null;
  }

  evidenced(facts: ConfirmedFactsWithEvidence, entry: Watching): ConfirmedFactsWithEvidence {
    const since = this.since(entry);
    const { observedAt, confirmedAt, previousConfirmedAt, evidence } = facts;
    return {
      ...facts,
      observedAt: latest(observedAt, since),
      confirmedAt: latest(confirmedAt, since),
      previousConfirmedAt: previousConfirmedAt && previousConfirmedAt >= since ? previousConfirmedAt : null,
      evidence: this.evidence(evidence, entry),
    };
  }

  /** Where two checks were needed, the first may be older than the entry. */
  evidence(evidence: readonly Evidence[], entry: Watching): readonly Evidence[] {
    return evidence.filter(({ observedAt }) => observedAt >= this.since(entry));
  }

  /** Earlier failures are not counted. */
  failures(streak: FailureStreak, entry: Watching): FailureStreak {
    const since = this.since(entry);
    return streak.since < since ? { ...streak, since, failures: 1 } : streak;
  }

  pending(pending: PendingConfirmation | null, entry: Watching): PendingConfirmation | null {
    const since = this.since(entry);
    if (!pending || pending.firstSeenAt >= since) return pending;
    return { ...pending, firstSeenAt: since, notBefore: latest(pending.notBefore, since) };
  }
}
