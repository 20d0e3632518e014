import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../src/auth/domain/api-key-text.js';
import { quietSettings, startChild } from './child.js';
import type { CleanupStack } from './cleanup.js';
import { throwawayPostgres } from './throwaway-postgres.js';

/** A process of role `api`, and what a request to it needs. */
export interface LongList {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
}

/** Starts a process of role `api` whose account has no limit of requests, and imports so many names. */
export async function startLongList(closing: CleanupStack, entries: number): Promise<LongList> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  const key = generateApiKey();
  const service = await startChild([join(import.meta.dirname, '../bin/namewatch.mjs'), 'up'], {
    ...quietSettings(postgres.url),
    DATA_DIR: folder,
    ROLE: 'api',
    BOOTSTRAP_API_KEY: key.text,
    PLANS_FILE: plans,
  });
  closing.push(() => service.close());
  const headers = { authorization: `Bearer ${key.text}` };
  const body = ['domain', ...Array.from({ length: entries }, (_, n) => `name-${n}.test`)].join('\n');
  const sent = { ...headers, 'content-type': 'text/csv' };
  const answer = await fetch(`${service.address}/v1/watchlist/import`, { method: 'POST', headers: sent, body });
  const { created } = (await answer.json()) as { created?: number };
  if (created !== entries) throw new Error(`the import answered ${answer.status} and added ${created} of ${entries}`);
  return { address: service.address, headers, databaseUrl: postgres.url };
}
