import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { MASTER_KEY, startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { compare } from '../comparison.js';
import type { Load } from '../load.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { watchedEntries } from '../watched-entries.js';

const here = import.meta.dirname;
const PAGE = '/v1/watchlist?per_page=20';
const SIZES = [200_000];

/** GET /v1/watchlist, 20 rows, of an account of 1 000 entries; `--sizes` has other numbers of entries in the table. */
export const suite: Suite = {
  name: 'list',
  about: 'GET /v1/watchlist against a bare Fastify + pg server with the same authentication, SQL and named statements',
  limitSeconds: 1_800, // ten million entries are seeded in a quarter of an hour
  measure: withCleanup(measure),
};

async function measure(plan: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const sizes = (plan.sizes ?? SIZES).toSorted((a, b) => a - b);
  const figures: Figure[] = [];
  const pages: { size: number; page: Load }[] = [];
  for (const size of sizes) {
    const { ours, baseline } = await startServers(size, plan.keep, closing);
    console.error(`${size} entries: ${plan.rounds} rounds`);
    figures.push(await compare({ what: `among ${size} entries`, ours, baseline, close }, plan));
    const byCookie = await signIn(ours);
    figures.push(
      await compare({ what: `among ${size}, by cookie against by key`, ours: byCookie, baseline: ours, close }, plan),
    );
    pages.push({ size, page: ours });
  }
  const [fewest, ...others] = pages;
  for (const { size, page } of others) {
    const baseline = fewest?.page ?? page;
    figures.push(await compare({ what: `among ${size}, against ${fewest?.size}`, ours: page, baseline, close }, plan));
  }
  return figures;
}

/** The servers go on to the next comparison. */
const close = () => Promise.resolve();

async function startServers(
  size: number,
  keep: string | null,
  closing: CleanupStack,
): Promise<{ ours: Load; baseline: Load }> {
  const postgres = await seededPostgres(watchedEntries(size), keep);
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  const key = generateApiKey();
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 100_000_000 } })); // counted, never refused
  const env = {
    PLANS_FILE: plans,
    DATABASE_URL: postgres.url,
    MASTER_KEY,
    DATA_DIR: folder,
    ROLE: 'api',
    PORT: '0',
    RDAP_BOOTSTRAP_URL: 'off',
    LOG_LEVEL: 'warn',
    BOOTSTRAP_API_KEY: key.text, // of the first account that was seeded
  };
  const start = async (args: readonly string[]) => {
    const child = await startChild(args, env);
    closing.push(() => child.close());
    return { url: `${child.address}${PAGE}`, headers: { authorization: `Bearer ${key.text}` } };
  };
  const ours = await start([join(here, '../../../bin/namewatch.mjs'), 'up']);
  const baseline = await start(['--import', './tools/scripts/typescript.mjs', join(here, 'bare-server.ts')]);
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
