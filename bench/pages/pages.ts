import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startChild } from '../child.js';
import { compare } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';

const ENTRIES = 10_000;
const LAST = '/v1/watchlist?page=500';

/** The last page of a long list, against the first one of the same list: OFFSET walks past what it skips. */
export const suite: Suite = {
  name: 'pages',
  about: `page 500 of an account of ${ENTRIES} entries against page 1; the ratio is of answers a second`,
  measure: async (plan) => {
    const closing: (() => Promise<void>)[] = [];
    try {
      return [await measure(plan, closing)];
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

async function measure(plan: RunOptions, closing: (() => Promise<void>)[]): Promise<Figure> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  const key = generateApiKey();
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up'], {
    ...{ DATABASE_URL: postgres.url, MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder, PORT: '0' },
    ...{ ROLE: 'api', RDAP_BOOTSTRAP_URL: 'off', LOG_LEVEL: 'warn', BOOTSTRAP_API_KEY: key.text, PLANS_FILE: plans },
  });
  closing.push(() => service.close());
  const headers = { authorization: `Bearer ${key.text}` };
  await fill(service.address, headers, postgres.url);
  return compare(
    {
      what: 'page 500',
      ours: { url: `${service.address}${LAST}`, headers },
      baseline: { url: `${service.address}/v1/watchlist?page=1`, headers },
      close: () => Promise.resolve(),
    },
    plan,
  );
}

async function fill(address: string, headers: Record<string, string>, databaseUrl: string): Promise<void> {
  const body = ['domain', ...Array.from({ length: ENTRIES }, (_, n) => `name-${n}.test`)].join('\n');
  const sent = { ...headers, 'content-type': 'text/csv' };
  const answer = await fetch(`${address}/v1/watchlist/import`, { method: 'POST', headers: sent, body });
  const { created } = (await answer.json()) as { created: number };
  const page = (await (await fetch(`${address}${LAST}`, { headers })).json()) as { data: object[] };
  if (created !== ENTRIES || page.data.length !== 20) throw new Error(`${created} entries, ${page.data.length} on it`);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum (analyze)'); // as autovacuum would have done by then
  await client.end();
}
