import { URGENCIES } from '../domain/urgency.js';
import { watchedNameColumns } from '../mappings.js';
import { WATCHED_OPERATORS } from '../upkeep/watched-operators.sql.js';

/** A name that was started so often without finishing has most likely crashed its worker each time. */
const MAX_UNFINISHED_STARTS = 5;
/** A name with an unfinished start gets a batch of its own, so that it cannot discredit other names for long. */
export const MAX_STARTS_IN_SHARED_BATCH = 0;

/*
 * Leases are read in the order of their index, which drops the entries of deleted ones by itself. The table keeps these
 * rows until a vacuum: it would be read with all that were deleted since.
 */

/**
 * Costs one index probe per operator plus the leases, however many names are due. It asks for the earliest name only
 * (order by, limit 1): with a bare EXISTS a planner that overestimates due names scans the whole table. Routine names are
 * read from the front of their operator ($3, $4), if it has one and no lease of it has expired; see RoutineFronts.
 */
export const SELECT_DUE_OPERATORS = {
  name: 'lease_operators_due',
  text: `with ${WATCHED_OPERATORS},
         held as (select operator, (count(*) filter (where until > now()))::int as names,
                    bool_or(until <= now() and starts < ${MAX_UNFINISHED_STARTS}) as "hasExpired"
                  from (select operator, until, starts from leases order by domain) as l group by operator)
         select o.operator, coalesce(h.names, 0) as "inFlight", coalesce(h."hasExpired", false) as "hasExpired"
         from operators o
           left join held h on h.operator = o.operator
           left join unnest($3::text[], $4::timestamptz[]) as f(operator, since)
             on f.operator = o.operator and h."hasExpired" is not true
         where o.operator is not null and exists (
           select from (values (0, $1::timestamptz, '-infinity'), (1, $1, '-infinity'),
                          (${URGENCIES.routine}, $2::timestamptz, coalesce(f.since, '-infinity'))) as u(urgency, due_by, since)
             cross join lateral (
               select from watched_names n
               where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at between u.since and u.due_by
               order by n.next_check_at limit 1) as due)`,
};

/** What another scheduler claims at the same time stays its own. */
const IS_FREE = `l.until <= now() and l.starts < ${MAX_UNFINISHED_STARTS}`;

/**
 * Inserts into a narrow table, whose cost does not grow with the number of names, as lease columns on the wide row
 * would. An expired lease is taken over; an active one is skipped, also when two schedulers claim at the same time.
 * NOT IN reads the leases once and not once per name: after a vacuum of an empty table the planner believes it to be
 * empty and would scan it, with all rows that this statement adds, for each name. Rows come also for names that another
 * scheduler took meanwhile (not `isOurs`), so that it is known how many were found.
 */
export const CLAIM = {
  name: 'lease_claim_due',
  text: `insert into leases as l (domain, operator, token, until, starts)
         select due.domain, w.operator, $4::uuid, now() + make_interval(secs => $5), 0
         from unnest($2::text[], $3::int[], $7::timestamptz[]) as w(operator, quota, since) cross join lateral (
           select found.domain
           from (values (0, $1::timestamptz, '-infinity'), (1, $1, '-infinity'),
                   (${URGENCIES.routine}, $6::timestamptz, w.since)) as u(urgency, due_by, since)
             cross join lateral (
               select n.domain, n.next_check_at from watched_names n
               where n.operator = w.operator and n.urgency = u.urgency and n.next_check_at between u.since and u.due_by
                 and n.domain not in (select h.domain from leases h
                                      where h.until > now() or h.starts >= ${MAX_UNFINISHED_STARTS} order by h.domain)
               order by n.next_check_at, n.domain limit w.quota) as found
           order by u.urgency, found.next_check_at limit w.quota) as due
         on conflict (domain) do update
           set operator = case when ${IS_FREE} then excluded.operator else l.operator end,
             token = case when ${IS_FREE} then excluded.token else l.token end,
             until = case when ${IS_FREE} then excluded.until else l.until end
         returning domain as name, operator, starts, token = $4 as "isOurs"`,
};

/** Skips names whose last watcher left after the claim. */
export const START = {
  name: 'lease_start',
  text: `update leases l set until = now() + make_interval(secs => $3), starts = l.starts + 1 from watched_names n
         where l.domain = any($1::text[]) and l.token = $2 and l.until > now()
           and n.domain = l.domain and n.next_check_at is not null
         returning ${watchedNameColumns.list('n.?')}, exists (
             select from watch_entries e where e.domain = n.domain and e.boundary_at <= $4 and not e.paused)
             as "isBoundaryPassed"`,
};

export const IS_ANY_DROPPING = {
  name: 'lease_any_dropping',
  text: `select exists (select from watched_names where domain = any($1::text[]) and urgency = ${URGENCIES.dropping}) as found`,
};

/** Deletes leases on names without watchers. */
export const RELEASE_UNWATCHED = {
  name: 'lease_release_unwatched',
  text: `delete from leases l using watched_names n
         where l.domain = any($1::text[]) and l.token = $2 and n.domain = l.domain and n.next_check_at is null`,
};

export const RENEW = {
  name: 'lease_renew',
  text: `update leases set until = now() + make_interval(secs => $3)
         where domain = any($1::text[]) and token = $2 and until > now() returning domain`,
};

export const RELEASE = {
  name: 'lease_release',
  text: `delete from leases l using unnest($1::text[], $2::uuid[]) as g(name, token)
         where l.domain = g.name and l.token = g.token`,
};

/** Moves the schedule too, or the name would be due again at once. */
export const POSTPONE_POISON_NAMES = {
  name: 'lease_quarantine',
  text: `with poison as (
           delete from leases where starts >= ${MAX_UNFINISHED_STARTS} and until <= now() returning domain)
         update watched_names n set next_check_at = $1 from poison
         where n.domain = poison.domain and n.next_check_at is not null returning n.domain`,
};
