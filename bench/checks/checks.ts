import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../src/auth/domain/api-key-format.js';
import { startChild } from '../child.js';
import { type Comparison, compare } from '../comparison.js';
import type { Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { startLookupLoops } from './lookup-loops.js';

const here = import.meta.dirname;
const IN_FLIGHT = 50;

/** Every name is asked about once, except where it is to be known already. */
export const suite: Suite = {
  name: 'checks',
  about: 'GET /v1/domains/check and the engine behind it, against an empty Nest route and against nothing but undici',
  measure: async (plan) => {
    const stage = await setStage();
    try {
      const figures = [];
      for (const one of stage.contests) figures.push(await compare(one, plan));
      return figures;
    } finally {
      await stage.close();
    }
  },
};

async function setStage() {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const one of closing.reverse()) await one();
  };
  try {
    return { contests: await contests((one) => closing.push(one)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function contests(later: (close: () => Promise<void>) => void): Promise<Comparison[]> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const start = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = await startChild(args, env);
    later(() => child.close());
    return child.address;
  };
  const script = (name: string) => ['--import', 'tsx', join(here, name)];

  const postgres = await throwawayPostgres();
  later(() => postgres.close());
  const registry = await start(script('registry.ts'));
  const key = generateApiKey();
  const settings = {
    ...{ DATABASE_URL: postgres.url, MASTER_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder },
    ...{ ROLE: 'api', PORT: '0', LOG_LEVEL: 'warn', BOOTSTRAP_API_KEY: key.text },
    ...{ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
    ...{ RDAP_OVERRIDES: `example=${registry}`, ...unlimited(folder) },
  };
  const service = await start([join(here, '../../bin/namewatch.mjs'), 'up'], settings);
  const empty = await start(script('empty-nest.ts'));
  const loops = await startLookupLoops(registry, settings.LOOKUP_BUDGETS_FILE);
  later(() => loops.close());

  const headers = { authorization: `Bearer ${key.text}` };
  let asked = 0;
  const live = {
    ...{ url: service, headers, connections: IN_FLIGHT },
    nextPath: () => `/v1/domains/check?domain=live-${(asked += 1)}.example`,
  };
  const nothing = () => Promise.resolve();
  const undici = (seconds: number) => loops.run('undici', seconds);
  return [
    {
      what: 'a check of a name that is known, to an empty route of Nest on Fastify',
      ours: { url: `${service}/v1/domains/check?domain=known.example`, headers },
      baseline: { url: `${empty}/empty`, headers: {} },
      close: nothing,
    },
    {
      what: 'the engine alone, to a loop of undici at the same registry',
      ours: (seconds) => loops.run('engine', seconds),
      baseline: undici,
      close: nothing,
    },
    {
      what: `a live check over HTTP, recorded, ${IN_FLIGHT} in flight, to the same loop`,
      ours: live,
      baseline: undici,
      close: nothing,
    },
  ];
}

/** What a registry or a plan allows is not what is measured here. */
function unlimited(folder: string) {
  const files = { LOOKUP_BUDGETS_FILE: join(folder, 'budgets.json'), PLANS_FILE: join(folder, 'plans.json') };
  const budget = { per_second: 0, burst: 1_000, concurrency: 1_000 };
  writeFileSync(files.LOOKUP_BUDGETS_FILE, JSON.stringify({ default: budget }));
  writeFileSync(files.PLANS_FILE, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  return files;
}
