import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { quietSettings, startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { rounded } from '../comparison.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, Suite } from '../suite.js';
import { writing } from './writing.js';
import { ENTRIES, longWatchlists, SCATTERED, TOGETHER } from './long-watchlists.js';

const SIZES = [10_000_000];
const REQUESTS_A_ROUND = 20;
const BASELINE = '?per_page=50';
const REQUESTS = {
  'what needs action': 'summary',
  'tags with counts': 'tags',
  'operators with counts': 'operators',
  'a search that finds nothing': '?search=nothing-like-it',
  'a search in notes': '?search=f00d',
  'a search in names and tags': '?search=brand',
  'a search for a letter, by name': '?search=o&sort=domain',
  'failing names': '?failing=true&paused=false',
  'names that expire within 30 days': '?expires_within_days=30&sort=expires_at',
  'a phase and an intent': '?phase=redemption&intent=own',
  'a registry operator': '?operator=',
  'a tag': '?tag=client-a',
};

/** How long a person waits for the first page, a search and a filter; `--sizes` has other numbers of entries in the table. */
export const suite: Suite = {
  name: 'finding',
  about: `requests of an account of ${ENTRIES} entries that count, search and filter them, against its newest 50`,
  limitSeconds: 3_600, // they are seeded in six minutes
  measure: withCleanup(async ({ rounds, sizes, keep }, closing) => {
    const figures: Figure[] = [];
    for (const size of sizes ?? SIZES) {
      const postgres = await seededPostgres(longWatchlists(size), keep);
      closing.push(() => postgres.close());
      for (const [account, layout] of [
        [TOGETHER, 'side by side'],
        [SCATTERED, 'each on a page of its own'],
      ] as const) {
        const { request, operator } = await startService(postgres.url, account, closing);
        for (const [what, text] of Object.entries(REQUESTS)) {
          const path = text.endsWith('operator=') ? `${text}${operator}` : text;
          for (const first of [BASELINE, path]) await request(first); // plans, and reads what was not read before
          const [ours, baseline]: [number[], number[]] = [[], []];
          for (let nth = 0; nth < rounds * REQUESTS_A_ROUND; nth += 1) {
            baseline.push(await request(BASELINE));
            ours.push(await request(path));
          }
          figures.push(toFigure(`${what}, among ${size}, ${layout}`, ours, baseline));
        }
      }
      figures.push(...(await writing(postgres.url, size, rounds)));
    }
    return figures;
  }),
};

/** @returns what sends a request and says how many milliseconds it took, and the operator of most names */
async function startService(databaseUrl: string, account: string, closing: CleanupStack) {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const plans = join(folder, 'plans.json');
  writeFileSync(plans, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  const key = generateApiKey();
  const settings = { DATA_DIR: folder, ROLE: 'api', BOOTSTRAP_API_KEY: key.text, PLANS_FILE: plans };
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up'], {
    ...quietSettings(databaseUrl),
    ...settings,
  });
  closing.push(() => service.close());
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(`update api_keys set account_id = ${account}`);
  await database.end();
  const headers = { authorization: `Bearer ${key.text}` };
  const operators = await fetch(`${service.address}/v1/watchlist/operators`, { headers });
  const [most] = ((await operators.json()) as { data: { operator: string }[] }).data;
  const request = async (path: string) => {
    const url = `${service.address}/v1/watchlist${path.startsWith('?') ? path : `/${path}`}`;
    const start = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return performance.now() - start;
  };
  return { request, operator: most?.operator ?? '' };
}

function toFigure(what: string, took: readonly number[], baseline: readonly number[]): Figure {
  const [ours, theirs] = [took, baseline].map((times) => {
    const sorted = times.toSorted((a, b) => a - b);
    return (share: number) => rounded(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
  }) as [(share: number) => number, (share: number) => number];
  return {
    what,
    unit: 'ms at p50',
    ours: ours(0.5),
    baseline: theirs(0.5),
    ratio: rounded(ours(0.5) / theirs(0.5)),
    besides: { 'ms at p99': ours(0.99), 'ms at p99 of the baseline': theirs(0.99), requests: took.length },
  };
}
