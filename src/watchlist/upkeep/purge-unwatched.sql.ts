/** Few enough for a short transaction. */
export const PURGE_BATCH_SIZE = 500;

/**
 * Reads so many resting names at a time, those of paused entries too, and says where the next ones begin. Locked ones
 * are left to the next run: a transaction may be adding a watcher. The row is read again under the lock, by its primary
 * key: with `is null` and statistics from before many names lost their watchers, a planner reads all resting names for
 * each of these, and the locks are held for seconds.
 */
const purgeUnwatched = (which: string, resting: string, order: string) => ({
  name: `names_purge_unwatched_${which}`,
  text: `with resting as materialized (
           select domain, last_checked_at from watched_names
           where next_check_at is null and ${resting} order by ${order} limit ${PURGE_BATCH_SIZE}),
         unwatched as (
           select n.domain from resting join watched_names n on n.domain = resting.domain
           where num_nulls(n.next_check_at) = 1
             and not exists (select from watch_entries e where e.domain = n.domain)
           for update of n skip locked),
         purged as (delete from watched_names n using unwatched u where n.domain = u.domain returning 1)
         select coalesce(max(last_checked_at), '-infinity') as "lastCheckedAt",
           (array_agg(domain order by last_checked_at desc, domain desc))[1] as domain,
           (select count(*)::int from purged) as purged, count(*)::int as read
         from resting`,
});
/** With the latest lookup to purge, and the last name that was read: when it was looked up, and itself. */
export const PURGE_UNWATCHED = [
  purgeUnwatched('unchecked', `last_checked_at is null and domain > $3 and $1 > $2::timestamptz`, 'domain'),
  purgeUnwatched(
    'checked',
    `last_checked_at < $1 and last_checked_at >= $2 and (last_checked_at, domain) > ($2, $3)`,
    'last_checked_at, domain',
  ),
];
