import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { quietSettings, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import { connect, openAccount, throwawayPostgres } from '../postgres.js';

/** The busy account keeps the usual 600 requests a minute; the quiet one is measured at 40 a second. */
const PLANS = { selfhost: { entries: 0 }, measured: { entries: 0, requests_per_minute: 0 } };
const SETTLE_SECONDS = 300;

/** One process that serves the API, runs the lookups and delivers, as `npm start` does, with two accounts. */
export class SharedService {
  private constructor(
    readonly address: string,
    readonly databaseUrl: string,
    private readonly database: pg.Client,
    /** Each is a batch of names whose lookups were not recorded. */
    readonly failed: { jobs: number },
    readonly quietKey: string,
    readonly busyKey: string,
  ) {}

  static async start(registry: string): Promise<SharedService> {
    const folder = temporaryFolder();
    const databaseUrl = await throwawayPostgres();
    const [plans, budgets] = [join(folder, 'plans.json'), join(folder, 'budgets.json')];
    const measured = { ...PLANS.measured, intervals: [360, 1_440], default_interval: 360, channels: 1, bulk: 100 };
    writeFileSync(plans, JSON.stringify({ ...PLANS, measured: { ...measured, history_days: 30 } }));
    writeFileSync(budgets, JSON.stringify({ default: { per_second: 0, burst: 1_000, concurrency: 100 } }));
    const settings = {
      ...quietSettings(databaseUrl),
      LOG_LEVEL: 'error',
      RDAP_OVERRIDES: `example=${registry}`,
      LOOKUP_BUDGETS_FILE: budgets,
      PLANS_FILE: plans,
      LOG_FORMAT: 'json',
    };
    const failed = { jobs: 0 };
    const service = await startService(settings, (line) => {
      if (line.includes('job failed')) failed.jobs += 1;
    });
    const database = await connect(databaseUrl);
    const quiet = await openAccount(database, 'measured');
    const busy = await openAccount(database);
    return new SharedService(service.address, databaseUrl, database, failed, quiet.key, busy.key);
  }

  /** Waits until every name was looked up, so that a round begins with nothing left to do. */
  async finishLookups(): Promise<void> {
    const end = performance.now() + SETTLE_SECONDS * 1_000;
    while (performance.now() < end && (await this.hasDueNames())) await pause(250);
    await this.database.query('vacuum (analyze)');
  }

  /** Where lookups are not what is measured: those of a hundred thousand new names would take ten minutes. */
  async postponeLookups(): Promise<void> {
    const postpone = `
      update watched_names set next_check_at = now() + interval '1 day', last_checked_at = coalesce(last_checked_at, now())
      where domain in (select domain from watched_names where next_check_at <= now() for update skip locked)`;
    while (await this.hasDueNames()) await this.database.query(postpone);
    await this.database.query('vacuum (analyze)');
  }

  /** Names that were due and have no lookup; all of them are due at once when they are added. */
  async namesWithoutLookup(): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `select count(*)::int as count from watched_names where last_checked_at is null or next_check_at <= now()`,
    );
    return rows[0]?.count ?? NaN;
  }

  private async hasDueNames(): Promise<boolean> {
    const { rowCount } = await this.database.query('select from watched_names where next_check_at <= now() limit 1');
    return rowCount !== 0;
  }
}
