const LAST_SEEN_AT = `coalesce((n.record_state::jsonb -> r.kind ->> 'lastSeenAt')::timestamptz, n.facts_confirmed_at)`;
/** The registration record as JSON texts by kind, without values that were last seen before the entry was added. */
const CURRENT_RECORD = `(select json_object_agg(r.kind, r.value) from registration_records r
    where r.domain = n.domain and r.last_seen_at is null and ${LAST_SEEN_AT} >= e.created_at)`;

const visibleIfSince = (column: string, at: string) => `case when ${at} >= e.created_at then ${column} end`;
const FACTS = visibleIfSince('n.facts', 'n.facts_confirmed_at');

/**
 * Values of a name (`n`) and its evidence (`v`), found since the entry (`e`) was added. visibility.ts gives the reason.
 */
export const VISIBLE = {
  lastCheckedAt: visibleIfSince('n.last_checked_at', 'n.last_checked_at'),
  facts: FACTS,
  expiresAt: `(${FACTS}::jsonb ->> 'expiresAt')::timestamptz`,
  evidence: visibleIfSince('v.evidence', 'n.facts_confirmed_at'),
  record: visibleIfSince(CURRENT_RECORD, 'n.facts_confirmed_at'),
  pending: visibleIfSince('n.pending', 'n.last_checked_at'),
  failingSince: 'case when n.failing_since is not null then greatest(n.failing_since, e.created_at) end',
  failures: 'case when n.failing_since < e.created_at then 1 else n.failures end',
} as const;
