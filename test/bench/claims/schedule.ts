import { join } from 'node:path';
import type pg from 'pg';
import type { readConfig as ReadConfig } from '../../../src/config/config.js';
import type { OperatorRateLimits } from '../../../src/domains/index.js';
import { after, Clock, DAY } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { SqlClient as ProductSqlClient } from '../../../src/platform/database/sql-client.js';
import type { BackgroundThrottle } from '../../../src/watchlist/checks/background-throttle.js';
import type { ClaimDueNames as Claims } from '../../../src/watchlist/checks/claim-due-names.js';
import type { LeaseRepository as ProductLeases } from '../../../src/watchlist/checks/leases.repository.js';
import { MASTER_KEY } from '../child.js';
import { atEnd } from '../cleanup.js';
import { connect } from '../postgres.js';

const root = join(import.meta.dirname, '../../..');

/** So many are due in every round. */
export const DUE = 10_000;

/** A clock that the bench moves: names fall due by time alone, as in production. */
class ManualClock extends Clock {
  time = new Date();

  now(): Date {
    return this.time;
  }
}

const noThrottle = { routineDueBefore: (now: Date) => now } as BackgroundThrottle;
/** A database with names that fall due, and the product's own claim, in this process. */
export class Schedule {
  private constructor(
    private readonly names: number,
    private readonly clock: ManualClock,
    private readonly claims: Claims,
    private readonly database: pg.Client,
  ) {}

  static async of(names: number, url: string): Promise<Schedule> {
    const settings = { DATABASE_URL: url, MASTER_KEY };
    const built = async <Module>(path: string) => (await import(join(root, 'dist', path))) as Module;
    const { readConfig } = await built<{ readConfig: typeof ReadConfig }>('config/config.js');
    const { SqlClient } = await built<{ SqlClient: typeof ProductSqlClient }>('platform/database/sql-client.js');
    const { LeaseRepository } = await built<{ LeaseRepository: typeof ProductLeases }>(
      'watchlist/checks/leases.repository.js',
    );
    const { ClaimDueNames } = await built<{ ClaimDueNames: typeof Claims }>('watchlist/checks/claim-due-names.js');

    const config = readConfig(settings);
    const clock = new ManualClock();
    const sqlClient = new SqlClient(config);
    atEnd(() => sqlClient.onApplicationShutdown());
    const leases = new LeaseRepository(sqlClient, config);
    const budgets = withoutLimit as OperatorRateLimits;
    const claims = new ClaimDueNames(leases, budgets, clock, TimeUnits.REAL, noThrottle, config);
    const database = await connect(url);
    await database.query('truncate check_leases'); // of a round that was interrupted
    await database.query(WARM);
    clock.time = after(await earliestDueTime(database), -DAY / names / 2);
    return new Schedule(names, clock, claims, database);
  }

  /** The next names fall due, are claimed, and checked. @returns what the claim alone took, in milliseconds */
  async round(): Promise<number> {
    this.clock.time = after(this.clock.time, (DAY * DUE) / this.names);
    const began = performance.now();
    const batches = await this.claims.run();
    const took = performance.now() - began;
    const claimed = batches.flatMap(({ names }) => names);
    if (claimed.length !== DUE) throw new Error(`${claimed.length} were claimed`);
    await this.recordChecks(claimed);
    return took;
  }

  async vacuum(): Promise<void> {
    await this.database.query('vacuum (index_cleanup on) watched_names, check_leases');
  }

  /** The state after the checks: no leases, and names that are due a day later. */
  private async recordChecks(names: readonly string[]): Promise<void> {
    await this.database.query('delete from check_leases where domain = any($1)', [names]);
    await this.database.query(
      `update watched_names set next_check_at = next_check_at + interval '1 day', last_checked_at = now(),
         facts_confirmed_at = now(), revision = revision + 1
       where domain = any($1)`,
      [names],
    );
  }
}

/** A service that runs has read each of its names within the last interval; what does not fit in the buffers stays out. */
const WARM = `create extension if not exists pg_prewarm;
  select pg_prewarm(oid) from pg_class where relname in ('watched_names', 'watched_names_due', 'watched_names_pkey')`;

/** Rounds move names by a day and the clock by less, so it goes on where the last run of the bench left it. */
async function earliestDueTime(database: pg.Client): Promise<Date> {
  await database.query('set enable_seqscan = off');
  const { rows } = await database.query<{ due: Date }>(
    `with recursive operators as (
       (select operator from watched_names where next_check_at is not null order by operator limit 1)
       union all
       select (select n.operator from watched_names n
               where n.operator > o.operator and n.next_check_at is not null order by n.operator limit 1)
       from operators o where o.operator is not null)
     select min(first.next_check_at) as due
     from operators o cross join (values (0), (1), (2)) as u(urgency) cross join lateral (
       select next_check_at from watched_names n where n.operator = o.operator and n.urgency = u.urgency
         and next_check_at is not null order by next_check_at limit 1) as first`,
  );
  if (!rows[0]) throw new Error('no name is scheduled');
  return rows[0].due;
}

const withoutLimit: Pick<OperatorRateLimits, 'availableQueries'> = {
  availableQueries: (operators) =>
    Promise.resolve(new Map(operators.map((one) => [one, { tokens: Infinity, reopensAt: null }]))),
};
