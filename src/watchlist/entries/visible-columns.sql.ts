import type { Visibility } from '../domain/visibility.js';

/** The current values as JSON by kind, each a JSON text. */
const CURRENT_RECORD = `(select json_object_agg(r.kind, r.value) from registration_records r
    where r.domain = n.domain and r.last_seen_at is null)`;

export type VisibleColumns = ReturnType<typeof visibleColumns>;

/**
 * Returns SQL for the columns of a name `n` and its evidence `v` that an account may see through its entry `e`. It is the
 * rule of Visibility for queries: with isolated accounts, results from before the entry was created are hidden.
 */
export function visibleColumns({ isIsolated }: Pick<Visibility, 'isIsolated'>) {
  const visibleIfSince = (column: string, at: string) =>
    isIsolated ? `case when ${at} >= e.created_at then ${column} end` : column;
  const facts = visibleIfSince('n.facts', 'n.facts_confirmed_at');
  return {
    isIsolated,
    lastCheckedAt: visibleIfSince('n.last_checked_at', 'n.last_checked_at'),
    facts,
    expiresAt: `(${facts}::jsonb ->> 'expiresAt')::timestamptz`,
    evidence: visibleIfSince('v.evidence', 'n.facts_confirmed_at'),
    record: visibleIfSince(CURRENT_RECORD, 'n.facts_confirmed_at'),
    pending: visibleIfSince('n.pending', 'n.last_checked_at'),
    failingSince: isIsolated
      ? 'case when n.failing_since is not null then greatest(n.failing_since, e.created_at) end'
      : 'n.failing_since',
    failures: isIsolated ? 'case when n.failing_since < e.created_at then 1 else n.failures end' : 'n.failures',
  };
}
