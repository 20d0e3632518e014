/** Digests in progress at a host, over all processes: a slow receiver delays its own host only. */
const HOST_LIMIT = 5;
/** The same for an account: it cannot fill the slots of a process with slow receivers. */
const ACCOUNT_LIMIT = 3;

/**
 * Claims due digests of chats, each under a lease. Accounts take turns, at a host and overall, whatever their number of
 * channels: the digests of one account do not delay those of the others.
 *
 * $1 now, $2 limit, $3 lease in seconds
 */
export const CLAIM_CHAT_DIGESTS = {
  name: 'chat_digests_claim_due',
  text: `
    with in_progress as materialized (select host, account_id from chat_digests where lease_until > now()),
    in_progress_at_host as (select host, count(*) as used from in_progress group by host),
    in_progress_of_account as (select account_id, count(*) as used from in_progress group by account_id),
    due as materialized (
      select id, host, account_id, due_at from chat_digests
      where due_at <= $1 and (lease_token is null or lease_until <= now())
        and account_id not in (select account_id from in_progress_of_account where used >= ${ACCOUNT_LIMIT})),
    turns as (
      select *, row_number() over (partition by host, account_id order by due_at, id) as turn_at_host from due),
    ranked as (
      select *, row_number() over (partition by host order by turn_at_host, due_at, id) as host_rank from turns),
    fitting as (
      select ranked.* from ranked left join in_progress_at_host using (host)
      where coalesce(used, 0) + host_rank <= ${HOST_LIMIT}),
    account_turns as (
      select id, due_at,
        coalesce(used, 0) + row_number() over (partition by account_id order by host_rank, due_at, id) as turn
      from fitting left join in_progress_of_account using (account_id)),
    locked as (
      select id from chat_digests
      where id = any(array(
          select id from account_turns where turn <= ${ACCOUNT_LIMIT} order by turn, due_at, id limit $2))
        and (lease_token is null or lease_until <= now())
      for update skip locked)
    update chat_digests set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $3)
    from locked where chat_digests.id = locked.id
    returning chat_digests.id, chat_digests.lease_token as token`,
};
