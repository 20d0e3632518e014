import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { quietSettings, startScript, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import type { Stream } from '../open-loop.js';
import { throwawayPostgres } from '../postgres.js';
import { unlimited } from '../unlimited.js';
import { DueNames } from './due-names.js';

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
export async function startStage(roles: readonly string[]): Promise<Stage> {
  const url = await throwawayPostgres();
  const registry = await startScript('watch/registry.ts');
  const key = generateApiKey();
  const settings = {
    ...quietSettings(url),
    RDAP_OVERRIDES: `example=${registry.address}`,
    BOOTSTRAP_API_KEY: key.text,
    ...unlimited(temporaryFolder()),
  };
  const addresses: string[] = [];
  for (const role of roles) {
    const service = await startService({ ...settings, ROLE: role, DATA_DIR: temporaryFolder() });
    addresses.push(service.address);
  }
  const names = await DueNames.create(url, key.id);
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
