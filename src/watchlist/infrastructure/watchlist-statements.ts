/** Ids first, over the narrow index, then the join: OFFSET walks past rows, and need not join those it skips. */
const page = (name: string, condition: string) => ({
  name,
  text: `select e.id, e.domain, e.status, e.interval_minutes, n.last_checked_at, e.created_at
         from (select id from watch_entries where account_id = $1 ${condition}
               order by created_at desc, id desc limit $2 offset $3) as ids
         join watch_entries e on e.id = ids.id
         join watched_names n on n.domain = e.domain
         order by e.created_at desc, e.id desc`,
});
/** On its own: inside the page's query it would give no row, hence no total, past the end. */
const count = (name: string, condition: string) => ({
  name,
  text: `select count(*)::int as total from watch_entries where account_id = $1 ${condition}`,
});

/** $1 account, $2 rows, $3 rows to skip; the count takes the account alone. */
export const WATCHLIST = { page: page('watchlist_page', ''), count: count('watchlist_count', '') };

/** The same with the status behind the others. */
export const WATCHLIST_BY_STATUS = {
  page: page('watchlist_page_by_status', 'and status = $4'),
  count: count('watchlist_count_by_status', 'and status = $2'),
};
