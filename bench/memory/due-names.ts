import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Child, startChild, quietSettings } from '../child.js';
import { OPERATOR } from '../watched-entries.js';

const launcher = join(import.meta.dirname, '../../bin/namewatch.mjs');

/** Watched names, and processes of one role each that check those that are due. */
export class DueNames {
  /** Names up to here, in their order, were made due already. */
  private last = '';

  private constructor(
    private readonly database: pg.Client,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly folder: string,
  ) {}

  /** @param databaseUrl of seeded entries */
  static async of(databaseUrl: string, registry: string): Promise<DueNames> {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
    const budgets = join(folder, 'budgets.json');
    const unlimited = { per_second: 0, burst: 1_000, concurrency: 1_000 };
    writeFileSync(budgets, JSON.stringify({ operators: { [OPERATOR]: { hosts: ['127.0.0.1'], ...unlimited } } }));
    const settings = {
      ...quietSettings(databaseUrl),
      DNS_SERVERS: 'off',
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      RDAP_OVERRIDES: `example=${registry}`,
      LOOKUP_BUDGETS_FILE: budgets,
    };
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    await database.query('set enable_seqscan = off');
    await database.query('truncate check_leases'); // of a run that was interrupted
    return new DueNames(database, settings, folder);
  }

  /** @param flags of Node */
  start(role: 'worker' | 'scheduler', flags: readonly string[] = []): Promise<Child> {
    const DATA_DIR = mkdtempSync(join(this.folder, `${role}-`));
    return startChild([...flags, launcher, 'up'], { ...this.settings, ROLE: role, DATA_DIR });
  }

  /**
   * Sees that so many names are due now, which lie anywhere in the table.
   * @throws when there are not so many
   */
  async fill(names: number): Promise<void> {
    for (let missing = names - (await this.left()); missing > 0;) {
      const { made, last } = await this.makeDue(missing);
      if (made < missing && this.last === '') throw new Error(`${names} names have to be watched at least: --sizes`);
      this.last = made < missing ? '' : last; // from the first one again
      missing -= made;
    }
    await this.database.query('vacuum (analyze) watched_names');
  }

  /** Names that are still due. */
  async left(): Promise<number> {
    const { rows } = await this.database.query<{ due: number }>(
      `select count(*)::int as due from watched_names
       where operator = $1 and urgency in (0, 1, 2) and next_check_at <= now()`,
      [OPERATOR],
    );
    return rows[0]?.due ?? NaN;
  }

  private async makeDue(names: number): Promise<{ made: number; last: string }> {
    const { rows } = await this.database.query<{ made: number; last: string | null }>(
      `with due as (
         update watched_names set next_check_at = now() where domain in (
           select domain from watched_names where domain > $2 and next_check_at > now() order by domain limit $1)
         returning domain)
       select count(*)::int as made, max(domain) as last from due`,
      [names, this.last],
    );
    return { made: rows[0]?.made ?? 0, last: rows[0]?.last ?? '' };
  }

  async close(): Promise<void> {
    await this.database.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
