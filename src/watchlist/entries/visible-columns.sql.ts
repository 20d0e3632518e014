import type { Evidence } from '../../domains/language.js';
import type { PendingConfirmation } from '../domain/confirmation.js';

/** The current values as JSON by kind, each a JSON text. */
const CURRENT_RECORD = `(select json_object_agg(r.kind, r.value) from registration_records r
    where r.domain = n.domain and r.last_seen_at is null)`;

/** SQL for the columns of a name `n` and its evidence `v` that an account may see through its entry `e`. */
export interface VisibleColumns {
  readonly isIsolated: boolean;
  readonly lastCheckedAt: string;
  readonly facts: string;
  readonly expiresAt: string;
  readonly evidence: string;
  readonly record: string;
  readonly pending: string;
  readonly failingSince: string;
  readonly failures: string;
}

/** @param isIsolated hide results from before the entry was added: another account caused those checks */
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
    record: visibleIfSince(CURRENT_RECORD, 'n.proof_at'),
    pending: visibleIfSince('n.pending', 'n.last_checked_at'),
    failingSince: isIsolated
      ? 'case when n.failing_since is not null then greatest(n.failing_since, e.created_at) end'
      : 'n.failing_since',
    failures: isIsolated ? 'case when n.failing_since < e.created_at then 1 else n.failures end' : 'n.failures',
  };
}

/** Where two checks were needed, the first may be older than the entry. */
export function evidenceSince(evidence: readonly Evidence[], since: Date): readonly Evidence[] {
  return evidence.filter(({ observedAt }) => observedAt >= since);
}

export function pendingSince(pending: PendingConfirmation | null, since: Date): PendingConfirmation | null {
  if (!pending || pending.firstSeenAt >= since) return pending;
  return { ...pending, firstSeenAt: since, notBefore: pending.notBefore < since ? since : pending.notBefore };
}
