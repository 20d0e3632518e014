import pg from 'pg';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { newId } from '../../src/kernel/identifier.js';

const BATCH = 500;

/** The baseline: the rows of an import, written by the driver with nothing read, judged or locked. */
export class BareInserts {
  private constructor(
    private readonly client: pg.Client,
    private readonly account: string,
  ) {}

  static async open(url: string): Promise<BareInserts> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const account = newId('acc');
    await client.query(`insert into accounts (id, name, plan, created_at) values ($1, 'bare', 'selfhost', now())`, [
      account,
    ]);
    return new BareInserts(client, account);
  }

  /** @returns its key */
  async openAccount(): Promise<string> {
    const [id, { id: keyId, digest, text }] = [newId('acc'), generateApiKey()];
    await this.client.query(`insert into accounts (id, name, plan, created_at) values ($1, 'b', 'selfhost', now())`, [
      id,
    ]);
    await this.client.query(
      `insert into api_keys (id, account_id, name, digest, scopes, created_at, issued_by)
         values ($1, $2, 'b', $3, '{admin}', now(), 'cli')`,
      [keyId, id, digest],
    );
    return text;
  }

  /** @returns seconds */
  async insert(label: string, names: number): Promise<number> {
    const began = performance.now();
    for (let from = 0; from < names; from += BATCH) {
      const domains = Array.from({ length: Math.min(BATCH, names - from) }, (_, n) => `${label}-${from + n}.test`);
      await this.insertBatch(domains);
    }
    return (performance.now() - began) / 1_000;
  }

  close(): Promise<void> {
    return this.client.end();
  }

  private async insertBatch(domains: readonly string[]): Promise<void> {
    await this.client.query('begin');
    await this.client.query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at)
       select domain, 'sandbox', 360, now() from unnest($1::text[]) as n(domain)`,
      [domains],
    );
    await this.client.query(
      `insert into watch_entries (id, account_id, domain, interval_minutes,
         expiring_window_days, status, phase,
         change_seq, has_confirmed_facts, boundary_at, paused, tags, note, intent, created_at, updated_at)
       select id, $3, domain, 360, 30, 'registered', 'registered', 0, false, now(), false, '{brand,shop}',
         'A note about it', 'own', now(), now()
       from unnest($1::text[], $2::text[]) as n(domain, id)`,
      [domains, domains.map(() => newId('wl')), this.account],
    );
    await this.client.query('commit');
  }
}
