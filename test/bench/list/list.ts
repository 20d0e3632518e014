import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key.js';
import { type Child, quietSettings, startScript, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import { compare, type Load } from '../comparison.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { watchedEntries } from '../watched-entries.js';

const PAGE = '/v1/watchlist?per_page=20';
const SIZES = [200_000];

/** GET /v1/watchlist, 20 rows, of an account of 1 000 entries; `--sizes` has other numbers of entries in the table. */
export const suite: Suite = {
  name: 'list',
  about: 'GET /v1/watchlist against a bare Fastify + pg server with the same authentication, SQL and named statements',
  limitSeconds: 1_800, // ten million entries are seeded in a quarter of an hour
  measure,
};

async function measure(plan: RunOptions): Promise<Figure[]> {
  const sizes = (plan.sizes ?? SIZES).toSorted((a, b) => a - b);
  const figures: Figure[] = [];
  const pages: { size: number; page: Load }[] = [];
  for (const size of sizes) {
    const { ours, baseline } = await startServers(size, plan.keep);
    console.error(`${size} entries: ${plan.rounds} rounds`);
    figures.push(await compare({ what: `among ${size} entries`, ours, baseline }, plan));
    const byCookie = await signIn(ours);
    figures.push(
      await compare({ what: `among ${size}, by cookie against by key`, ours: byCookie, baseline: ours }, plan),
    );
    pages.push({ size, page: ours });
  }
  const [fewest, ...others] = pages;
  for (const { size, page } of others) {
    const baseline = fewest?.page ?? page;
    figures.push(await compare({ what: `among ${size}, against ${fewest?.size}`, ours: page, baseline }, plan));
  }
  return figures;
}

async function startServers(size: number, keep: string | null): Promise<{ ours: Load; baseline: Load }> {
  const url = await seededPostgres(watchedEntries(size), keep);
  const key = generateApiKey();
  const plans = join(temporaryFolder(), 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0 } })); // an account with a limit never asks so often
  const env = {
    ...quietSettings(url),
    PLANS_FILE: plans,
    ROLE: 'api',
    BOOTSTRAP_API_KEY: key.text, // of the first account that was seeded
  };
  const toLoad = ({ address }: Child) => ({
    url: `${address}${PAGE}`,
    headers: { authorization: `Bearer ${key.text}` },
  });
  const ours = toLoad(await startService(env));
  const baseline = toLoad(await startScript('list/bare-server.ts', env));
  await assertSameResponse(ours, baseline);
  return { ours, baseline };
}

/** The same page, asked for by the cookie of a session that acts as the key. */
async function signIn({ url, headers }: Load): Promise<Load> {
  const answer = await fetch(new URL('/v1/sessions', url), { method: 'POST', headers });
  const cookie = answer.headers.get('set-cookie')?.replace(/;.*/, '');
  if (cookie === undefined) throw new Error(`no session: ${await answer.text()}`);
  const byCookie = { url, headers: { cookie, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'namewatch' } };
  await assertSameResponse({ url, headers }, byCookie);
  return byCookie;
}

/** A contest between servers that answer differently, or with an empty page, would measure nothing. */
async function assertSameResponse(...servers: readonly Load[]): Promise<void> {
  const [first = '', second] = await Promise.all(
    servers.map(async ({ url, headers }) => (await fetch(url, { headers })).text()),
  );
  if (first !== second) throw new Error(`the servers answer differently:\n${first}\n${second}`);
  if ((JSON.parse(first) as { data: unknown[] }).data.length !== 20) throw new Error(`not 20 entries: ${first}`);
}
