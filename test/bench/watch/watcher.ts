import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../../src/kernel/identifier.js';
import { type Child, MASTER_KEY, startChild } from '../child.js';
import { OPERATOR } from '../watched-entries.js';

const launcher = join(import.meta.dirname, '../../../bin/namewatch.mjs');
const NOT_SOON = `now() + interval '1 day'`;
/** The first stores what the registry says, the second confirms it, and from the third on nothing changes. */
export const CHECKS_UNTIL_STEADY = 3;

/** The service as people run it, with watched names and a registry that has them all. */
export class Watcher {
  private constructor(
    private readonly services: readonly Child[],
    private readonly database: pg.Client,
    private readonly folder: string,
  ) {}

  /** @param workers processes that check; the first one is everything else besides */
  static async start(
    databaseUrl: string,
    registry: string,
    env: Record<string, string>,
    workers = 1,
  ): Promise<Watcher> {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
    const budgets = join(folder, 'budgets.json');
    const unlimited = { per_second: 0, burst: 1_000, concurrency: 1_000 };
    const operators = { [OPERATOR]: { hosts: ['127.0.0.1', 'localhost'], ...unlimited } };
    writeFileSync(budgets, JSON.stringify({ default: unlimited, operators }));
    const settings = {
      DATABASE_URL: databaseUrl,
      MASTER_KEY,
      PORT: '0',
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      RDAP_OVERRIDES: `example=${registry}`,
      LOOKUP_BUDGETS_FILE: budgets,
      ...env,
    };
    const services = [];
    for (let nth = 0; nth < workers; nth += 1) {
      const role = nth === 0 ? 'all' : 'worker';
      const own = { ROLE: role, DATA_DIR: join(folder, String(nth)) };
      services.push(await startChild([launcher, 'up'], { ...settings, ...own }));
    }
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    return new Watcher(services, database, folder);
  }

  /** So many names, each with one entry, all of which were checked before and show what the registry says. */
  async watch(names: number): Promise<void> {
    const account = newId('acc');
    await this.database.query(
      `insert into accounts (id, name, plan, created_at) values ($1, 'bench', 'selfhost', now())`,
      [account],
    );
    await this.seed(account, 1, 1);
    for (let nth = 0; nth < CHECKS_UNTIL_STEADY; nth += 1) await this.checkDueNames(1);
    await this.seed(account, 2, names);
    await this.database.query(
      `update watched_names n set facts = one.facts, source = one.source,
         facts_since = one.facts_since, facts_confirmed_at = one.facts_confirmed_at, last_checked_at = one.last_checked_at,
         record_state = one.record_state
       from watched_names one where one.domain = 'name-1.example' and n.facts is null`,
    );
    await this.database.query(
      `update watch_entries set has_confirmed_facts = true, answered = true, boundary_at = ${NOT_SOON}`,
    );
    await this.database.query('vacuum (analyze)');
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
    while ((await this.isAnyDue(due?.at)) || (await this.countCheckedSince(due?.at)) < names) await pause(50);
    return (performance.now() - began) / 1_000;
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.close()));
    await this.database.end();
    rmSync(this.folder, { recursive: true, force: true });
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

  private async countCheckedSince(since: Date | undefined): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      'select count(*)::int as count from watched_names where last_checked_at >= $1',
      [since],
    );
    return rows[0]?.count ?? 0;
  }

  private async seed(account: string, from: number, to: number): Promise<void> {
    await this.database.query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at)
       select 'name-' || n || '.example', '${OPERATOR}', 1440, ${NOT_SOON} from generate_series($1::int, $2) n`,
      [from, to],
    );
    await this.database.query(
      `insert into watch_entries (id, account_id, domain, interval_minutes,
         expiring_window_days, status, phase,
         change_seq, has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
       select 'wl_' || lpad(n::text, 26, '0'), $3, 'name-' || n || '.example', 1440, 30, 'registered', 'registered', 0,
         false, false, '{}', 'monitor', now(), now()
       from generate_series($1::int, $2) n`,
      [from, to, account],
    );
  }
}
