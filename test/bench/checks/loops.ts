import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { readConfig as ReadConfig } from '../../../src/config/config.js';
import type { StandaloneLookup as Engine } from '../../../src/domains/standalone-lookup.js';
import { answerOrders } from '../child.js';
import type { Round } from '../comparison.js';

/**
 * Two ways of querying the registry, in one process that runs the one a message names: the engine as it is
 * built, without HTTP, database or memory, and nothing but undici.
 */
export interface Order {
  readonly loop: 'engine' | 'undici';
  readonly seconds: number;
}

const IN_FLIGHT = 50;
const registry = process.env['REGISTRY'] ?? '';
const built = join(import.meta.dirname, '../../../dist');
const { readConfig } = (await import(join(built, 'config/config.js'))) as { readConfig: typeof ReadConfig };
const { StandaloneLookup } = (await import(join(built, 'domains/standalone-lookup.js'))) as {
  StandaloneLookup: typeof Engine;
};

const config = readConfig({
  RDAP_BOOTSTRAP_URL: 'off',
  DNS_SERVERS: 'off',
  RDAP_OVERRIDES: `example=${registry}`,
  LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  LOOKUP_BUDGETS_FILE: process.env['LOOKUP_BUDGETS_FILE'],
});
const engine = new StandaloneLookup(config);
const agent = new Agent({ connections: IN_FLIGHT });

const LOOPS = {
  engine: async (name: string) => {
    const result = await engine.lookUp(name);
    if (result.kind !== 'observation') throw new Error(`${name}: ${result.code}`);
  },
  undici: async (name: string) => {
    const { statusCode, body } = await request(`${registry}domain/${name}`, { dispatcher: agent });
    await body.text();
    if (statusCode !== 200) throw new Error(`${name}: ${statusCode}`);
  },
};
let asked = 0;

async function run({ loop, seconds }: Order): Promise<Round> {
  const begun = performance.now();
  const took: number[] = [];
  const ask = LOOPS[loop];
  const worker = async () => {
    for (let now = begun; now - begun < seconds * 1_000;) {
      await ask(`name-${(asked += 1)}.example`);
      const then = now;
      now = performance.now();
      took.push(now - then);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  took.sort((a, b) => a - b);
  const at = (part: number) => took[Math.floor(took.length * part)] ?? NaN;
  return { rate: took.length / ((performance.now() - begun) / 1_000), p50: at(0.5), p99: at(0.99) };
}

answerOrders(run);
