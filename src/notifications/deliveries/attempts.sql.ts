import type { SucceededAttempt } from '../domain/delivery.js';
import { unnestParams, selectColumns } from '../rows.sql.js';
import { deliveryMapping } from '../mappings.js';

/** The parameters of `MARK_DELIVERED`. */
export function toResultParams(succeeded: readonly SucceededAttempt[]): unknown[] {
  const claim = unnestParams(succeeded.map(({ claim }) => claim));
  const attempt = unnestParams(succeeded.map(({ attempt }) => attempt));
  const results = [attempt('number'), attempt('durationMs'), attempt('responseStatus'), attempt('responseExcerpt')];
  return [claim('id'), claim('token'), ...results];
}

/**
 * The fast path of an attempt from claim to success: one statement each, no transaction. A token identifies an attempt,
 * so an outdated claim matches nothing. Locked rows are skipped, since waiting for several could deadlock: those take
 * the transactional path.
 */
const LOCK_CLAUSE = 'for update of d, l skip locked';

export const SELECT_CLAIMED = `${selectColumns(deliveryMapping, 'd')}, l.token as "leaseToken"`;

/** $1 deliveries, $2 tokens */
export const FIND_CLAIMED = {
  name: 'deliveries_claimed',
  text: `
    select ${SELECT_CLAIMED}
    from delivery_leases l join deliveries d on d.id = l.delivery_id
    where l.delivery_id = any($1) and l.token = any($2)`,
};

/**
 * `held` filters by id only: with the state too, PostgreSQL would use an index that holds a whole backlog.
 * $1 deliveries, $2 tokens of the claims, $3 of the attempts, $4 their numbers, $5 their beginnings, $6 lease in
 * seconds
 */
export const START_ATTEMPTS = {
  name: 'deliveries_start_claimed',
  text: `
    with held as materialized (
      select d.id, l.token, d.state, d.digest_id from delivery_leases l join deliveries d on d.id = l.delivery_id
      where l.delivery_id = any($1) and l.token = any($2)
      ${LOCK_CLAUSE}),
    begun as materialized (
      select begun.* from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::timestamptz[])
        as begun (id, token, attempt, number, started_at) join held using (id, token)
      where held.state = 'pending' and held.digest_id is null),
    counted as (
      update deliveries d set attempts = begun.number from begun where d.id = begun.id),
    leased as (
      update delivery_leases l set token = begun.attempt, until = now() + make_interval(secs => $6)
      from begun where l.delivery_id = begun.id)
    insert into delivery_attempts (delivery_id, number, started_at)
    select id, number, started_at from begun
    returning delivery_id as id`,
};

/**
 * `Delivery.finishAttempt` for a success, where the channel has no failure to clear. The channel is a subquery: joined,
 * PostgreSQL would start with all deliveries of each channel.
 * $1 deliveries, $2 tokens, $3 numbers of the attempts, $4 milliseconds, $5 statuses, $6 excerpts
 */
export const MARK_DELIVERED = {
  name: 'deliveries_mark_delivered',
  text: `
    with held as materialized (
      select d.id, l.token from delivery_leases l join deliveries d on d.id = l.delivery_id
      where l.delivery_id = any($1) and l.token = any($2)
        and (select first_failure_at from notification_channels where id = d.channel_id) is null
      ${LOCK_CLAUSE}),
    arrived as materialized (
      select arrived.* from unnest($1::text[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::text[])
        as arrived (id, token, number, duration_ms, response_status, response_excerpt) join held using (id, token)),
    delivered as (
      update deliveries d set state = 'delivered', next_attempt_at = null from arrived where d.id = arrived.id),
    ended as (
      delete from delivery_leases l using arrived where l.delivery_id = arrived.id)
    update delivery_attempts a set outcome = 'ok', duration_ms = arrived.duration_ms,
      response_status = arrived.response_status, response_excerpt = arrived.response_excerpt
    from arrived where a.delivery_id = arrived.id and a.number = arrived.number
    returning arrived.token`,
};
