import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CHECKS_UNTIL_STEADY } from '../watch/watcher.js';

const NAMES = 30_000;
/** Entries of the account that lists its own. */
const LISTED = 1_000;
const NOT_SOON = `now() + interval '1 day'`;
const POLL_MS = 50;
/** Those that a check is writing come with the next turn. */
const PUT_OFF = `
  update watched_names set next_check_at = ${NOT_SOON} where domain in (
    select domain from watched_names where next_check_at <= now() for no key update skip locked)`;

/** Watched names, all of them checked before, that are made due and put off again. */
export class DueNames {
  private constructor(private readonly database: pg.Client) {}

  /** @param keyId whose account watches the first names; the others are watched by another one */
  static async create(databaseUrl: string, keyId: string): Promise<DueNames> {
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const names = new DueNames(database);
    try {
      await names.seed(keyId);
      await names.copyStateOfCheckedName();
      return names;
    } catch (error) {
      await names.close();
      throw error;
    }
  }

  /** All of them, so that the workers have more to do than they can. */
  async makeDue(): Promise<void> {
    await this.database.query(`update watched_names set next_check_at = now()`);
  }

  /** @returns how many were checked since then; nothing is under way any more */
  async putOff(since: Date): Promise<number> {
    const checked = await this.countCheckedSince(since);
    const deadline = performance.now() + 30_000;
    for (;;) {
      await this.database.query(PUT_OFF);
      const { rowCount } = await this.database.query('select from check_leases limit 1');
      if (rowCount === 0) break;
      if (performance.now() > deadline) throw new Error('checks under way did not end');
      await pause(POLL_MS);
    }
    await this.database.query('vacuum watched_names');
    return checked;
  }

  async now(): Promise<Date> {
    const { rows } = await this.database.query<{ now: Date }>('select clock_timestamp() as now');
    return rows[0]?.now ?? new Date();
  }

  async close(): Promise<void> {
    await this.database.end();
  }

  private async seed(keyId: string): Promise<void> {
    await this.database.query(
      `insert into accounts (id, name, plan, created_at) values ('acc_' || repeat('2', 26), 'bench', 'selfhost', now())`,
    );
    await this.database.query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at)
       select 'name-' || n || '.example', 'none', 1440, ${NOT_SOON} from generate_series(1, $1::int) n`,
      [NAMES],
    );
    await this.database.query(
      `insert into watch_entries (id, account_id, domain, interval_minutes,
         expiring_window_days, status, phase,
         change_seq, has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
       select 'wl_' || lpad(n::text, 26, '0'), case when n <= $2 then k.account_id else 'acc_' || repeat('2', 26) end,
         'name-' || n || '.example', 1440, 30, 'registered', 'registered', 0, false, false, '{}', 'monitor', now(), now()
       from generate_series(1, $1::int) n, api_keys k where k.id = $3`,
      [NAMES, LISTED, keyId],
    );
    await this.database.query(
      `insert into entry_counts as c (account_id, entries) select account_id, count(*) from watch_entries group by account_id
       on conflict (account_id) do update set entries = excluded.entries`,
    );
  }

  /** The first checks of a name are stored in transactions. The others would measure that instead of routine checks. */
  private async copyStateOfCheckedName(): Promise<void> {
    for (let nth = 0; nth < CHECKS_UNTIL_STEADY; nth += 1) await this.checkFirstName();
    await this.database.query(
      `update watched_names n set operator = one.operator, facts = one.facts, source = one.source,
         facts_since = one.facts_since, facts_confirmed_at = one.facts_confirmed_at, last_checked_at = one.last_checked_at,
         record_state = one.record_state
       from watched_names one where one.domain = 'name-1.example' and n.facts is null`,
    );
    await this.database.query(
      `update watch_entries set has_confirmed_facts = true, answered = true, boundary_at = ${NOT_SOON}`,
    );
    await this.database.query('vacuum (analyze)');
  }

  private async checkFirstName(): Promise<void> {
    const since = await this.now();
    await this.database.query(`update watched_names set next_check_at = $1 where domain = 'name-1.example'`, [since]);
    const deadline = performance.now() + 30_000;
    while ((await this.countCheckedSince(since)) === 0) {
      if (performance.now() > deadline) throw new Error('the first name was not checked');
      await pause(POLL_MS);
    }
  }

  private async countCheckedSince(since: Date): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      'select count(*)::int as count from watched_names where last_checked_at >= $1',
      [since],
    );
    return rows[0]?.count ?? 0;
  }
}
