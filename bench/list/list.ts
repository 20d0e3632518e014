import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../src/auth/domain/api-key-format.js';
import { type Child, startChild } from '../child.js';
import { compare, type Comparison } from '../comparison.js';
import type { Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { seed } from './seed.js';

const here = import.meta.dirname;
const PAGE = '/v1/watchlist?per_page=20';

/** GET /v1/watchlist, 20 rows, of an account of 1 000 entries in a table of 200 000. */
export const suite: Suite = {
  name: 'list',
  about: 'GET /v1/watchlist against a bare Fastify + pg server with the same authentication, SQL and named statements',
  measure: async (plan) => [await compare(await prepare(), plan)],
};

async function prepare(): Promise<Comparison> {
  const postgres = await throwawayPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  const key = generateApiKey();
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 100_000_000 } })); // counted, never refused
  const env = {
    PLANS_FILE: plans,
    DATABASE_URL: postgres.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: folder,
    ROLE: 'api',
    PORT: '0',
    RDAP_BOOTSTRAP_URL: 'off',
    LOG_LEVEL: 'warn',
    BOOTSTRAP_API_KEY: key.text,
  };
  const children: Child[] = [];
  const close = async () => {
    for (const child of children) await child.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ours = await startChild([join(here, '../../bin/namewatch.mjs'), 'up'], env);
    children.push(ours);
    await seed(postgres.url, key.id);
    const baseline = await startChild(['--import', 'tsx', join(here, 'bare-server.ts')], env);
    children.push(baseline);
    const headers = { authorization: `Bearer ${key.text}` };
    await assertSameResponse(`${ours.address}${PAGE}`, `${baseline.address}${PAGE}`, headers);
    return {
      what: 'one page of 20',
      ours: { url: `${ours.address}${PAGE}`, headers },
      baseline: { url: `${baseline.address}${PAGE}`, headers },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A contest between servers that answer differently would measure nothing. */
async function assertSameResponse(one: string, other: string, headers: Record<string, string>): Promise<void> {
  const [first, second] = await Promise.all([one, other].map(async (url) => (await fetch(url, { headers })).text()));
  if (first !== second) throw new Error(`the servers answer differently:\n${first}\n${second}`);
}
