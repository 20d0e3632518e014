import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type Child, quietSettings, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import { connect, openAccount } from '../postgres.js';
import { OPERATOR } from '../watched-entries.js';

const NOT_SOON = `now() + interval '1 day'`;
/** The first stores what the registry says, the second confirms it, and from the third on nothing changes. */
const CHECKS_UNTIL_STEADY = 3;

/** The service as people run it, with watched names and a registry that has them all. */
export class Watcher {
  private constructor(
    private readonly services: readonly Child[],
    private readonly database: pg.Client,
  ) {}

  /** @param workers processes that check; the first one is everything else besides */
  static async start(
    databaseUrl: string,
    registry: string,
    env: Record<string, string>,
    workers = 1,
  ): Promise<Watcher> {
    const budgets = join(temporaryFolder(), 'budgets.json');
    const unlimited = { per_second: 0, burst: 1_000, concurrency: 1_000 };
    const operators = { [OPERATOR]: { hosts: ['127.0.0.1', 'localhost'], ...unlimited } };
    writeFileSync(budgets, JSON.stringify({ default: unlimited, operators }));
    const settings = {
      ...quietSettings(databaseUrl),
      RDAP_OVERRIDES: `example=${registry}`,
      LOOKUP_BUDGETS_FILE: budgets,
      ...env,
    };
    const services = [];
    for (let nth = 0; nth < workers; nth += 1) {
      const own = { ROLE: nth === 0 ? 'all' : 'worker', DATA_DIR: temporaryFolder() };
      services.push(await startService({ ...settings, ...own }));
    }
    return new Watcher(services, await connect(databaseUrl));
  }

  /** So many names, each with one entry, all of which were checked before and show what the registry says. */
  async watch(names: number): Promise<void> {
    const { id } = await openAccount(this.database);
    await addNames(this.database, OPERATOR, id, 1, 1);
    await checkUntilSteady(() => this.checkDueNames(1));
    await addNames(this.database, OPERATOR, id, 2, names);
    await copyFirstName(this.database);
  }

  /**
   * Makes so many names due, and waits until the check of each is recorded.
   * @returns seconds, from the commit that made them due
   */
  async checkDueNames(names: number): Promise<number> {
    const { rows } = await this.database.query<{ at: Date }>(
      `with due as (update watched_names set next_check_at = date_trunc('milliseconds', now())
         where domain in (select domain from watched_names limit $1) returning 1)
       select date_trunc('milliseconds', now()) as at, (select count(*) from due)`,
      [names],
    );
    const began = performance.now();
    const [due] = rows;
    while ((await this.isAnyDue(due?.at)) || (await countCheckedSince(this.database, due?.at)) < names) await pause(50);
    return (performance.now() - began) / 1_000;
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.close()));
  }

  /**
   * Reads the index from the end of those that are due, which are claimed last: at its beginning are the entries of all
   * that were checked since, and to read them again and again would cost the database a tenth of what the checks do.
   */
  private async isAnyDue(since: Date | undefined): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `select from (values (0), (1), (2)) as u(urgency) cross join lateral (
         select from watched_names n where n.operator = $1 and n.urgency = u.urgency and n.next_check_at <= $2
         order by n.next_check_at desc, n.domain desc limit 1) as due limit 1`,
      [OPERATOR, since],
    );
    return rowCount !== 0;
  }
}

export async function countCheckedSince(database: pg.Client, since: Date | undefined): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::int as count from watched_names where last_checked_at >= $1',
    [since],
  );
  return rows[0]?.count ?? 0;
}

/** Adds the names `name-<from>.example` to `name-<to>.example`, with an entry each. */
export async function addNames(
  database: pg.Client,
  operator: string,
  accountId: string,
  from: number,
  to: number,
): Promise<void> {
  await database.query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at)
     select 'name-' || n || '.example', $3, 1440, ${NOT_SOON} from generate_series($1::int, $2) n`,
    [from, to, operator],
  );
  await database.query(
    `insert into watch_entries (id, account_id, domain, interval_minutes,
       expiring_window_days, status, phase,
       change_seq, has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
     select 'wl_' || lpad(n::text, 26, '0'), $3, 'name-' || n || '.example', 1440, 30, 'registered', 'registered', 0,
       false, false, '{}', 'monitor', now(), now()
     from generate_series($1::int, $2) n`,
    [from, to, accountId],
  );
}

/** Checks a name until nothing changes any more. */
export async function checkUntilSteady(check: () => Promise<unknown>): Promise<void> {
  for (let nth = 0; nth < CHECKS_UNTIL_STEADY; nth += 1) await check();
}

/**
 * Gives all names the state of the first one. Their own first checks would be stored in transactions, and be measured
 * in place of routine checks.
 */
export async function copyFirstName(database: pg.Client): Promise<void> {
  await database.query(
    `update watched_names n set operator = one.operator, facts = one.facts, source = one.source,
       facts_since = one.facts_since, facts_confirmed_at = one.facts_confirmed_at, last_checked_at = one.last_checked_at,
       record_state = one.record_state
     from watched_names one where one.domain = 'name-1.example' and n.facts is null`,
  );
  await database.query(
    `update watch_entries set has_confirmed_facts = true, answered = true, boundary_at = ${NOT_SOON}`,
  );
  await database.query('vacuum (analyze)');
}
