import type { Evidence } from '../../../domains/language.js';
import type { PendingConfirmation } from '../../domain/confirmation.js';

/** What an account may see of a name `n` with its evidence `v`, through its entry `e`, as SQL. */
export interface VisibleColumns {
  readonly isIsolated: boolean;
  readonly lastCheckedAt: string;
  readonly facts: string;
  readonly expiresAt: string;
  readonly evidence: string;
  readonly pending: string;
  readonly failingSince: string;
  readonly failures: string;
}

/** @param isIsolated whether what was found out before the entry was there is hidden: somebody else had it looked at */
export function visibleColumns(isIsolated: boolean): VisibleColumns {
  const visibleIfSince = (column: string, at: string) =>
    isIsolated ? `case when ${at} >= e.created_at then ${column} end` : column;
  const facts = visibleIfSince('n.facts', 'n.proof_at');
  return {
    isIsolated,
    lastCheckedAt: visibleIfSince('n.last_checked_at', 'n.last_checked_at'),
    facts,
    expiresAt: `(${facts}::jsonb ->> 'expiresAt')::timestamptz`,
    evidence: visibleIfSince('v.evidence', 'n.proof_at'),
    pending: visibleIfSince('n.pending', 'n.last_checked_at'),
    failingSince: isIsolated
      ? 'case when n.failing_since is not null then greatest(n.failing_since, e.created_at) end'
      : 'n.failing_since',
    failures: isIsolated ? 'case when n.failing_since < e.created_at then 1 else n.failures end' : 'n.failures',
  };
}

/** Of two looks that it took, the first may be from before. */
export function evidenceSince(evidence: readonly Evidence[], since: Date): readonly Evidence[] {
  return evidence.filter(({ observedAt }) => observedAt >= since);
}

export function pendingSince(pending: PendingConfirmation | null, since: Date): PendingConfirmation | null {
  if (!pending || pending.firstSeenAt >= since) return pending;
  return { ...pending, firstSeenAt: since, notBefore: pending.notBefore < since ? since : pending.notBefore };
}
