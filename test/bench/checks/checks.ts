import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { MASTER_KEY, startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { compare } from '../comparison.js';
import { startOpenLoop } from '../open-loop.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { unlimited } from '../unlimited.js';
import { compareAtFixedRate } from '../fixed-rate.js';
import { startLookupLoops } from './lookup-loops.js';

const here = import.meta.dirname;
const IN_FLIGHT = 50;

/** Every name is asked about once, except where it must be known already. */
export const suite: Suite = {
  name: 'checks',
  about: 'GET /v1/domains/check and the engine behind it, against an empty Nest route and against nothing but undici',
  measure: withCleanup(measure),
};

async function measure(plan: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const start = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = await startChild(args, env);
    closing.push(() => child.close());
    return child.address;
  };
  const script = (name: string) => ['--import', './tools/scripts/typescript.mjs', join(here, name)];

  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const registry = await start(script('../watch/registry.ts'));
  const key = generateApiKey();
  const settings = {
    DATABASE_URL: postgres.url,
    MASTER_KEY,
    DATA_DIR: folder,
    ROLE: 'api',
    PORT: '0',
    LOG_LEVEL: 'warn',
    BOOTSTRAP_API_KEY: key.text,
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    RDAP_OVERRIDES: `example=${registry}`,
    ...unlimited(folder),
  };
  const service = await start([join(here, '../../../bin/namewatch.mjs'), 'up'], settings);
  const empty = await start(script('empty-nest.ts'));
  const loops = await startLookupLoops(registry, settings.LOOKUP_BUDGETS_FILE);
  closing.push(() => loops.close());
  const open = await startOpenLoop();
  closing.push(() => open.close());

  const headers = { authorization: `Bearer ${key.text}` };
  const checkUrl = `${service}/v1/domains/check?domain=`;
  const close = () => Promise.resolve();
  const undici = (seconds: number) => loops.run('undici', seconds);
  let asked = 0;
  const live = {
    url: service,
    headers,
    connections: IN_FLIGHT,
    nextPath: () => `/v1/domains/check?domain=live-${(asked += 1)}.example`,
  };
  const cached = { url: `${checkUrl}known.example`, headers };
  const nothing = { url: `${empty}/empty`, headers: {} };
  const cachedCapacity = await compare(
    {
      what: 'a check of a name that is known, to an empty route of Nest on Fastify',
      ours: cached,
      baseline: nothing,
      close,
    },
    plan,
  );
  const engine = await compare(
    {
      what: 'the engine alone, to a loop of undici at the same registry',
      ours: (s) => loops.run('engine', s),
      baseline: undici,
      close,
    },
    plan,
  );
  const liveCapacity = await compare(
    {
      what: `live checks over HTTP, recorded, ${IN_FLIGHT} in flight, to the same loop`,
      ours: live,
      baseline: undici,
      close,
    },
    plan,
  );
  const liveAtFixedRate = await compareAtFixedRate(open, plan, {
    what: 'a live check over HTTP, recorded, to undici at the same registry',
    rate: Math.round(liveCapacity.ours / 2),
    ours: { url: `${checkUrl}open-{n}.example`, headers },
    baseline: { url: `${registry}domain/open-{n}.example`, headers: {} },
  });
  const cachedAtFixedRate = await compareAtFixedRate(open, plan, {
    what: 'a check of a name that is known, to an empty route of Nest on Fastify',
    rate: Math.round(cachedCapacity.ours / 2),
    ours: cached,
    baseline: nothing,
  });
  return [liveAtFixedRate, cachedAtFixedRate, cachedCapacity, engine, liveCapacity];
}
