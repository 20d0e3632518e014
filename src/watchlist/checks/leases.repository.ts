import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { URGENCIES } from '../domain/check-schedule.js';
import { watchedNameColumns } from '../mappings.js';
import { WATCHED_OPERATORS } from '../watched-names.repository.js';
import { WatchedName } from '../domain/watched-name.js';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';

/** A time-limited lock (lease) on names of one operator. The token identifies the holder. */
export interface LeaseBatch {
  readonly operator: string;
  readonly token: string;
  readonly names: readonly string[];
}

export interface Lease {
  readonly name: string;
  readonly token: string;
}

export interface LeasedName {
  readonly watchedName: WatchedName;
  /** Whether an entry changes now even without new facts, for example because its expiring window has begun. */
  readonly isBoundaryPassed: boolean;
  /** The trace of the request that asked for this check; null if no traced request asked for it. */
  readonly traceparent: string | null;
}

export interface OperatorDue {
  readonly operator: string;
  /** How many of the operator's checks are in flight, over all processes. */
  readonly inFlight: number;
}

/** A check that started this often and never finished has probably crashed its worker each time. */
const MAX_UNFINISHED_STARTS = 5;

// In the statements below, `order by domain` makes PostgreSQL read the leases through the index, which skips rows
// deleted since the last vacuum.

/** SQL for a table `u` of urgencies: names of `urgency` may be claimed if they were due by `due_by`. */
const dueBy = (now: string, routineBefore: string) =>
  `(values (0, ${now}::timestamptz), (1, ${now}), (${URGENCIES.routine}, ${routineBefore}::timestamptz)) as u(urgency, due_by)`;

/** The subquery reads the earliest name, because with a bare EXISTS the planner may scan the whole table. */
const SELECT_DUE_OPERATORS = {
  name: 'check_lease_operators_due',
  text: `with ${WATCHED_OPERATORS},
         held as (select operator, count(*)::int as names
                  from (select operator from check_leases where until > now() order by domain) as l group by operator)
         select o.operator, coalesce(h.names, 0) as "inFlight"
         from operators o left join held h on h.operator = o.operator
         where o.operator is not null and exists (
           select from ${dueBy('$1', '$2')} cross join lateral (
               select from watched_names n
               where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at <= u.due_by
               order by n.next_check_at limit 1) as due)`,
};

/**
 * Tests that a lease has expired and that its name does not crash workers. {@link POSTPONE_POISON_NAMES} handles names
 * that do.
 */
const isClaimable = (lease: string) => `${lease}.until <= now() and ${lease}.starts < ${MAX_UNFINISHED_STARTS}`;

/**
 * Schedulers may run this at the same time: ON CONFLICT gives a name to only one. NOT IN reads the leases once; NOT
 * EXISTS may scan them for each name.
 */
export const CLAIM = {
  name: 'check_lease_claim_due',
  text: `insert into check_leases as l (domain, operator, token, until, starts)
         select due.domain, w.operator, $4::uuid, now() + make_interval(secs => $5), 0
         from unnest($2::text[], $3::int[]) as w(operator, quota) cross join lateral (
           select found.domain
           from ${dueBy('$1', '$6')} cross join lateral (
               select n.domain, n.next_check_at from watched_names n
               where n.operator = w.operator and n.urgency = u.urgency and n.next_check_at <= u.due_by
                 and n.domain not in (select h.domain from check_leases h
                                      where not (${isClaimable('h')}) order by h.domain)
               order by n.next_check_at, n.domain limit w.quota) as found
           order by u.urgency, found.next_check_at limit w.quota) as due
         on conflict (domain) do update
           set operator = excluded.operator, token = excluded.token, until = excluded.until
           where ${isClaimable('l')}
         returning domain as name, operator, starts`,
};

const WATCHED = `from watch_entries e join accounts a on a.id = e.account_id
             where e.domain = n.domain and not e.paused and a.suspended_at is null`;

/** Extends the leases when the checks start. Skips names that only paused entries or suspended accounts watch. */
const START = {
  name: 'check_lease_start',
  text: `update check_leases l set until = now() + make_interval(secs => $3), starts = l.starts + 1 from watched_names n
         where l.domain = any($1::text[]) and l.token = $2 and l.until > now()
           and n.domain = l.domain and n.next_check_at is not null and exists (select ${WATCHED})
         returning ${watchedNameColumns.list('n.?')}, n.traceparent,
           exists (select ${WATCHED} and e.boundary_at <= $4) as "isBoundaryPassed"`,
};

const RELEASE = {
  name: 'check_lease_release',
  text: `delete from check_leases l using unnest($1::text[], $2::uuid[]) as g(name, token)
         where l.domain = g.name and l.token = g.token`,
};

/** Postpones names whose checks crash their workers, and deletes their leases. */
const POSTPONE_POISON_NAMES = {
  name: 'check_lease_postpone_poison_names',
  text: `with poison as (
           delete from check_leases where starts >= ${MAX_UNFINISHED_STARTS} and until <= now() returning domain)
         update watched_names n set next_check_at = $1 from poison
         where n.domain = poison.domain and n.next_check_at is not null returning n.domain`,
};

/** All names of a batch are looked up at the same time, and each lookup must end before its lease. */
const MAX_BATCH_SIZE = 64;

interface ClaimedRow {
  readonly name: string;
  readonly operator: string;
  readonly starts: number;
}

interface LeasedRow extends Record<string, unknown> {
  readonly isBoundaryPassed: boolean;
  readonly traceparent: string | null;
}

/** Stores leases: time-limited locks that decide which worker checks a name. */
@Injectable()
export class LeaseRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  findOperatorsDue(now: Date, routineBefore = now): Promise<readonly OperatorDue[]> {
    return this.statements.run<OperatorDue>(SELECT_DUE_OPERATORS, [now, routineBefore]);
  }

  /** Gets leases on due names, urgent names first, up to the quota of each operator. */
  async claimDue(now: Date, quotas: ReadonlyMap<string, number>, routineBefore = now): Promise<LeaseBatch[]> {
    const token = randomUUID();
    const { leaseSeconds } = this.config;
    const values = [now, [...quotas.keys()], [...quotas.values()], token, leaseSeconds, routineBefore];
    return groupIntoBatches(await this.statements.run<ClaimedRow>(CLAIM, values), token);
  }

  /** Extends the leases and returns their names. Leaves out names with an expired lease or without an active entry. */
  async start({ names, token }: LeaseBatch, now: Date): Promise<LeasedName[]> {
    const rows = await this.statements.run<LeasedRow>(START, [names, token, this.config.leaseSeconds, now]);
    return rows.map((row) => ({
      watchedName: WatchedName.restore(watchedNameColumns.toFields(row)),
      isBoundaryPassed: row.isBoundaryPassed,
      traceparent: row.traceparent,
    }));
  }

  /** Call inside a unit of work. Returns false if the lease was lost; the caller must then write nothing. */
  async end(lease: Lease): Promise<boolean> {
    const deleted = await this.statements.run(sql`
      delete from check_leases where domain = ${lease.name} and token = ${lease.token} and until > now()
      returning domain`);
    return deleted.length > 0;
  }

  async release(batches: readonly LeaseBatch[]): Promise<void> {
    const leases = batches.flatMap(({ names, token }) => names.map((name) => ({ name, token })));
    await this.statements.run(RELEASE, [leases.map(({ name }) => name), leases.map(({ token }) => token)]);
  }

  async postponePoisonNames(until: Date): Promise<readonly string[]> {
    const postponed = await this.statements.run<{ domain: string }>(POSTPONE_POISON_NAMES, [until]);
    return postponed.map(({ domain }) => domain);
  }
}

function groupIntoBatches(claimed: readonly ClaimedRow[], token: string): LeaseBatch[] {
  // A name whose earlier check never finished is checked alone, so that a crash is blamed on no other name.
  const hasUnfinishedStart = ({ starts }: ClaimedRow) => starts > 0;
  const single = claimed.filter(hasUnfinishedStart).map(({ operator, name }) => ({ operator, token, names: [name] }));
  const byOperator = Map.groupBy(
    claimed.filter((claim) => !hasUnfinishedStart(claim)),
    ({ operator }) => operator,
  );
  const shared = [...byOperator].flatMap(([operator, claims]) => {
    const names = claims.map(({ name }) => name);
    const batches = Math.ceil(names.length / MAX_BATCH_SIZE);
    const size = Math.ceil(names.length / batches);
    return Array.from({ length: batches }, (_, i) => ({
      operator,
      token,
      names: names.slice(i * size, (i + 1) * size),
    }));
  });
  return [...shared, ...single];
}
