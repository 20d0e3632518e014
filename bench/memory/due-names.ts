import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Child, startChild } from '../child.js';
import { Watcher } from '../watch/watcher.js';

const launcher = join(import.meta.dirname, '../../bin/namewatch.mjs');

/** Watched names, and processes of one role each that check those that are due. */
export class DueNames {
  private constructor(
    private readonly database: pg.Client,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly folder: string,
  ) {}

  static async of(names: number, databaseUrl: string, registry: string): Promise<DueNames> {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
    const budgets = join(folder, 'budgets.json');
    writeFileSync(budgets, JSON.stringify({ default: { per_second: 0, burst: 1_000, concurrency: 1_000 } }));
    const settings = {
      ...{ DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('base64'), PORT: '0', LOG_LEVEL: 'warn' },
      ...{ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
      ...{ RDAP_OVERRIDES: `example=${registry}`, LOOKUP_BUDGETS_FILE: budgets },
    };
    const watcher = await Watcher.start(databaseUrl, registry, { MASTER_KEY: settings.MASTER_KEY });
    try {
      await watcher.watch(names);
    } finally {
      await watcher.close();
    }
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    return new DueNames(database, settings, folder);
  }

  /** @param flags of Node */
  start(role: 'worker' | 'scheduler', flags: readonly string[] = []): Promise<Child> {
    const DATA_DIR = mkdtempSync(join(this.folder, `${role}-`));
    return startChild([...flags, launcher, 'up'], { ...this.settings, ROLE: role, DATA_DIR });
  }

  /** Sees that so many names are due now. */
  async fill(names: number): Promise<void> {
    await this.database.query(
      `update watched_names set next_check_at = now() where domain in (
         select domain from watched_names where next_check_at > now()
         limit greatest(0, $1 - (select count(*) from watched_names where next_check_at <= now())))`,
      [names],
    );
    await this.database.query('vacuum (analyze) watched_names');
  }

  /** Names that are still due. */
  async left(): Promise<number> {
    const { rows } = await this.database.query<{ due: number }>(
      'select count(*)::int as due from watched_names where next_check_at <= now()',
    );
    return rows[0]?.due ?? NaN;
  }

  async close(): Promise<void> {
    await this.database.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
