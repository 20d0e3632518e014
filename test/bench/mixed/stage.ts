import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { quietSettings, startChild } from '../child.js';
import type { CleanupStack } from '../cleanup.js';
import type { Stream } from '../open-loop.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { unlimited } from '../unlimited.js';
import { DueNames } from './due-names.js';

const launcher = join(import.meta.dirname, '../../../bin/namewatch.mjs');
/** Requests a second, of each kind: some hundred people at their screens. */
const RATES = { list: 100, cached: 100, live: 50 };

export type Kind = keyof typeof RATES;

/** The service as people run it, on a database of its own, with names that can be made due. */
export interface Stage {
  /** The requests of people, at their fixed rates. */
  readonly streams: Readonly<Record<Kind, Stream>>;
  readonly names: DueNames;
}

/** @param roles a process for each; the first one answers requests */
export async function startStage(closing: CleanupStack, registry: string, roles: readonly string[]): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const key = generateApiKey();
  const settings = {
    ...quietSettings(postgres.url),
    DNS_SERVERS: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    RDAP_OVERRIDES: `example=${registry}`,
    BOOTSTRAP_API_KEY: key.text,
    ...unlimited(folder),
  };
  const addresses: string[] = [];
  for (const role of roles) {
    const service = await startChild([launcher, 'up'], { ...settings, ROLE: role, DATA_DIR: join(folder, role) });
    closing.push(() => service.close());
    addresses.push(service.address);
  }
  const names = await DueNames.create(postgres.url, key.id);
  closing.push(() => names.close());
  const headers = { authorization: `Bearer ${key.text}` };
  const toStream = (kind: Kind, path: string): Stream => ({
    url: `${addresses[0] ?? ''}${path}`,
    headers,
    rate: RATES[kind],
  });
  const streams = {
    list: toStream('list', '/v1/watchlist?per_page=20'),
    cached: toStream('cached', '/v1/domains/check?domain=known.example'),
    live: toStream('live', '/v1/domains/check?domain=live-{n}.example'),
  };
  return { streams, names };
}
