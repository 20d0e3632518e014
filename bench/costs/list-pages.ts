import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { startChild } from '../child.js';
import type { CleanupStack } from '../cleanup.js';
import { load } from '../load.js';
import { throwawayPostgres } from '../throwaway-postgres.js';

const ENTRIES = 1_000;

/** A process of role `api` with a watchlist. @returns what lists it for so many seconds, and how many pages it read */
export async function startListPages(closing: CleanupStack): Promise<(seconds: number) => Promise<number>> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  const key = generateApiKey();
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up'], {
    ...{ DATABASE_URL: postgres.url, MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder, PORT: '0' },
    ...{ ROLE: 'api', RDAP_BOOTSTRAP_URL: 'off', LOG_LEVEL: 'warn', BOOTSTRAP_API_KEY: key.text, PLANS_FILE: plans },
  });
  closing.push(() => service.close());
  const headers = { authorization: `Bearer ${key.text}` };
  const body = ['domain', ...Array.from({ length: ENTRIES }, (_, n) => `name-${n}.test`)].join('\n');
  const csv = { ...headers, 'content-type': 'text/csv' };
  const answer = await fetch(`${service.address}/v1/watchlist/import`, { method: 'POST', headers: csv, body });
  if (!answer.ok) throw new Error(`the import answered ${answer.status}`);
  const pages = { url: `${service.address}/v1/watchlist?per_page=20`, headers };
  return async (seconds) => Math.round((await load(pages, seconds)).rate * seconds);
}
