import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { connect, openAccount } from '../postgres.js';
import { addNames, checkUntilSteady, copyFirstName, countCheckedSince } from '../watch/watcher.js';

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
    const database = await connect(databaseUrl);
    const names = new DueNames(database);
    const { rows } = await database.query<{ id: string }>('select account_id as id from api_keys where id = $1', [
      keyId,
    ]);
    const [listing, other] = [rows[0]?.id ?? '', await openAccount(database)];
    await addNames(database, 'none', listing, 1, LISTED);
    await addNames(database, 'none', other.id, LISTED + 1, NAMES);
    await database.query(
      `insert into entry_counts as c (account_id, entries) select account_id, count(*) from watch_entries group by account_id
       on conflict (account_id) do update set entries = excluded.entries`,
    );
    await checkUntilSteady(() => names.checkFirstName());
    await copyFirstName(database);
    return names;
  }

  /** All of them, so that the workers have more to do than they can. */
  async makeDue(): Promise<void> {
    await this.database.query(`update watched_names set next_check_at = now()`);
  }

  /** @returns how many were checked since then; nothing is under way any more */
  async putOff(since: Date): Promise<number> {
    const checked = await countCheckedSince(this.database, since);
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

  private async checkFirstName(): Promise<void> {
    const since = await this.now();
    await this.database.query(`update watched_names set next_check_at = $1 where domain = 'name-1.example'`, [since]);
    const deadline = performance.now() + 30_000;
    while ((await countCheckedSince(this.database, since)) === 0) {
      if (performance.now() > deadline) throw new Error('the first name was not checked');
      await pause(POLL_MS);
    }
  }
}
