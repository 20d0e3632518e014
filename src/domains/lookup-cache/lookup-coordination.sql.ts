import { SECOND } from '../../kernel/clock.js';
import { CLOCK_SKEW_MS, LOOKUP_LEASE_MS } from './lookup-coordinator.js';

/** A lease never ends later; one that does is from before the database's clock was put back. */
const LAST_END = `now() + interval '${(2 * LOOKUP_LEASE_MS) / SECOND} seconds'`;
/** The same for observations, by the Clock: `at` is a column, `now` a parameter. */
const isFromFuture = (at: string, now: string) => `${at} > ${now}::timestamptz + interval '1 minute'`;

/**
 * $1 requested names as JSON, each once; $2 now by the Clock; $3 lease in seconds. Returns for each name a fresh
 * observation, a lease of our own (`ours`), another process's lease (`theirs`), or none of them: then another
 * process changed the row between the read and the lock, and the caller retries.
 *
 * The limit in the lateral join keeps a plan that was made while the table was small from scanning the whole table
 * later.
 */
export const ACQUIRE_OR_JOIN = {
  name: 'lookups_acquire',
  text: `with asked as materialized (
      select a.domain, s.published_lease_id, s.lease_id, s.facts, s.observation,
             s.leased_until > now() and s.leased_until <= ${LAST_END} as is_in_flight,
             s.observation is not null and not ${isFromFuture('s.observed_at', '$2')} and s.fresh_until >= $2 and s.observed_at >= a."notBefore" as is_fresh
      from jsonb_to_recordset($1::jsonb) as a(domain text, "notBefore" timestamptz)
      left join lateral (select * from lookups l where l.domain = a.domain limit 1) s on true),
    claimed as (
      insert into lookups as s (domain, lease_id, leased_until, published_lease_id)
      select domain, nextval('lookup_lease_ids'), now() + make_interval(secs => $3), published_lease_id from asked
      where is_fresh is not true and is_in_flight is not true
      order by domain
      on conflict (domain) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
      where s.published_lease_id is not distinct from excluded.published_lease_id
        and (s.leased_until is null or s.leased_until <= now() or s.leased_until > ${LAST_END})
      returning domain, lease_id)
    select a.domain, c.lease_id as ours,
           case when a.is_in_flight and a.is_fresh is not true then a.lease_id end as theirs,
           case when a.is_fresh then a.facts end as facts, case when a.is_fresh then a.observation end as observation
    from asked a left join claimed c on c.domain = a.domain`,
};

/** $1 names, $2 lease ids of our lookups, $3 lease in seconds. A published lookup has no lease any more. */
export const RENEW_LEASES = {
  name: 'lookups_renew',
  text: `with mine as (
      select s.domain from unnest($1::text[], $2::bigint[]) as o(domain, lease_id)
      join lookups s on s.domain = o.domain and s.lease_id = o.lease_id and s.leased_until is not null
      order by s.domain for update of s)
    update lookups s set leased_until = now() + make_interval(secs => $3) from mine where s.domain = mine.domain`,
};

/** $1 names whose results are awaited. */
export const SELECT_IN_FLIGHT = {
  name: 'lookups_in_flight',
  text: `select domain, lease_id as "leaseId", leased_until > now() and leased_until <= ${LAST_END} as "isInFlight",
      published_lease_id as "publishedLeaseId", failure, facts, observation
    from lookups where domain = any($1::text[])`,
};

/** The columns that a later observation replaces together. */
const IS_NEWER = `excluded.observed_at is not null and
  (s.observed_at is null or ${isFromFuture('s.observed_at', '$2')} or s.observed_at <= excluded.observed_at + interval '${CLOCK_SKEW_MS / SECOND} seconds')`;
const ifNewer = (column: string) => `${column} = case when ${IS_NEWER} then excluded.${column} else s.${column} end`;

/** `-infinity` ends an earlier veto of DNS; null says nothing about it. */
const LATEST_DELEGATION = `case when excluded.delegated_at = '-infinity'
  and (s.delegated_at <= excluded.observed_at or ${isFromFuture('s.delegated_at', '$2')})
  then excluded.delegated_at else greatest(s.delegated_at, excluded.delegated_at) end`;

/**
 * $1 lookup results as JSON, each name once; $2 now by the Clock. A failure without an observation keeps the stored one; a failure with
 * `observedAt` (an absence in doubt) removes it and counts as a change. An observation of a name without a row is a change as
 * well: the table may have been lost while other processes still cache what it held. A change is dated once its
 * transaction has a number, which SettledChanges relies on; where a row is updated, its lock has taken the number. All
 * writers lock rows in the order of names, so that they cannot deadlock.
 */
export const PUBLISH = {
  name: 'lookups_publish',
  text: `insert into lookups as s (domain, published_lease_id, failure, facts, observation, observed_at, fresh_until, published_at, changed_at,
                                 delegated_at)
    select domain, "leaseId", failure, facts, observation, "observedAt", "freshUntil", now(),
           case when "observedAt" is null then null when pg_current_xact_id() is not null then clock_timestamp() end,
           "delegatedAt"
    from jsonb_to_recordset($1::jsonb) as l(domain text, "leaseId" bigint, failure text, facts text, observation text,
                                            "observedAt" timestamptz, "freshUntil" timestamptz,
                                            "delegatedAt" timestamptz)
    order by domain
    on conflict (domain) do update set
      leased_until = case when s.lease_id = excluded.published_lease_id then null else s.leased_until end,
      published_lease_id = greatest(s.published_lease_id, excluded.published_lease_id),
      failure = case when excluded.published_lease_id > coalesce(s.published_lease_id, 0)
                     then excluded.failure else s.failure end,
      published_at = excluded.published_at,
      delegated_at = ${LATEST_DELEGATION},
      changed_at = case when ${IS_NEWER} and (excluded.facts is null or s.facts is distinct from excluded.facts)
                        then clock_timestamp() else s.changed_at end,
      ${['facts', 'observation', 'observed_at', 'fresh_until'].map(ifNewer).join(', ')}`,
};

export const RELEASE_LEASE = {
  name: 'lookups_release',
  text: `update lookups set leased_until = null, lease_id = null where domain = $1 and lease_id = $2`,
};

/**
 * `xmax` of a snapshot would not do for `next`: it follows the last transaction that ended, and others may have begun since.
 * `age` counts to the next number, without taking one.
 */
export const SELECT_TRANSACTION_HORIZON = {
  name: 'lookups_changes_horizon',
  text: `select now() as at, oldest::text, (oldest::text::bigint + age(oldest::xid))::text as next
    from (select pg_snapshot_xmin(pg_current_snapshot()) as oldest) as snapshot`,
};

/**
 * $1 from when on, or null; $2 how many seconds back at most. One text, `<name> <milliseconds>` and again: every process
 * reads thousands of changes a second while many names are checked, and the driver takes ten times as long over a row
 * for each.
 */
export const SELECT_CHANGES = {
  name: 'lookups_changes',
  text: `select string_agg(domain || ' ' || (extract(epoch from observed_at) * 1000)::bigint, ' ') as changes
    from lookups where changed_at >= greatest($1::timestamptz, now() - make_interval(secs => $2))`,
};

/** $1 names, $2 the time from which on a veto of DNS is kept. */
export const SELECT_DELEGATED = {
  name: 'lookups_delegated',
  text: `select domain from lookups where domain = any($1::text[]) and delegated_at >= $2`,
};

/** $1 a TLD, $2 the maximum number of names. */
export const SELECT_REGISTERED = {
  name: 'lookups_registered',
  text: `select domain from lookups where right(domain, length($1) + 1) = '.' || $1 and facts::jsonb ->> 'outcome' = 'found'
    order by observed_at desc limit $2`,
};

/**
 * $1 now by the Clock; $2 the time from which on a veto of DNS is kept. Keeps rows that are still leased, awaited or fresh,
 * unless the clock was put back; and vetoes, by either clock.
 */
export const DELETE_STALE = {
  name: 'lookups_prune',
  text: `delete from lookups
    where (coalesce(leased_until, '-infinity') < now() - interval '1 minute'
        and coalesce(published_at, '-infinity') < now() - interval '1 minute'
        and coalesce(fresh_until, '-infinity') < $1
      or ${isFromFuture('observed_at', '$1')} and (leased_until is null or not leased_until between now() and ${LAST_END}))
      and coalesce(delegated_at, '-infinity') not between $2 and $1::timestamptz + ($1::timestamptz - $2::timestamptz)`,
};
