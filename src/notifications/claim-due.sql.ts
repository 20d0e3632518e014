/**
 * Claims due rows of a table, each under a lease.
 *
 * $1 now, $2 limit, $3 lease in seconds
 */
export const claimDue = (table: string, dueAt: string) => ({
  name: `${table}_claim_due`,
  text: `
    with due as (
      select id from ${table}
      where ${dueAt} <= $1 and (lease_token is null or lease_until <= now())
      order by ${dueAt} limit $2
      for update skip locked)
    update ${table} set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $3)
    from due where ${table}.id = due.id
    returning ${table}.id, ${table}.lease_token as token`,
});
