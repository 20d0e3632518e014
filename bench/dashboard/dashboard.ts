import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '../../tools/browser.js';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { builtAssets, gzippedSize } from '../../test/support/browser/bundle-size.js';
import { launchBrowser } from '../../test/support/browser/launch.js';
import { quietSettings, startChild } from '../child.js';
import { median, rounded } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';

const NAMES = 1_000;
const SAMPLES_A_ROUND = 5;

/** The dashboard in Chromium, against a page of one word: what remains of a browser's own time is in both. */
export const suite: Suite = {
  name: 'dashboard',
  about: `from the address to a watchlist of ${NAMES} names on the screen, in Chromium, against a page of one word`,
  measure: async (plan) => {
    const closing: (() => Promise<void>)[] = [];
    try {
      return [await measureFirstScreen(plan, closing), bundleSize()];
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

async function measureFirstScreen({ rounds }: RunOptions, closing: (() => Promise<void>)[]): Promise<Figure> {
  const key = generateApiKey().text;
  const address = await startService(key, closing);
  const plain = await startPlainPage(closing);
  const browser = await launchBrowser();
  closing.push(() => browser.close());
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let sample = 0; sample < rounds * SAMPLES_A_ROUND; sample += 1) {
    ours.push(await timeTo(browser, { url: `${address}/ui/`, text: 'name-0.test', key }));
    baseline.push(await timeTo(browser, { url: plain, text: 'Hello', key }));
  }
  return {
    what: 'the first screen, nothing cached',
    unit: 'ms',
    ours: rounded(median(ours)),
    baseline: rounded(median(baseline)),
    ratio: rounded(median(ours) / median(baseline)),
    besides: { 'slowest ms': rounded(Math.max(...ours)), samples: ours.length },
  };
}

interface Opened {
  readonly url: string;
  readonly text: string;
  /** Belongs to a tab that has signed in before. */
  readonly key: string;
}

/** Milliseconds until the text can be seen, in a tab that has cached nothing. */
async function timeTo(browser: Browser, { url, text, key }: Opened): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  await context.addInitScript({ content: `sessionStorage.setItem('namewatch.key', ${JSON.stringify(key)})` });
  const page = await context.newPage();
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByText(text, { exact: true }).first().waitFor();
  const elapsedMs = performance.now() - start;
  await context.close();
  return elapsedMs;
}

async function startService(key: string, closing: (() => Promise<void>)[]): Promise<string> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up'], {
    ...quietSettings(postgres.url),
    DATA_DIR: folder,
    ROLE: 'api',
    BOOTSTRAP_API_KEY: key,
  });
  closing.push(() => service.close());
  const body = ['domain', ...Array.from({ length: NAMES }, (_, n) => `name-${NAMES - 1 - n}.test`)].join('\n');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv' };
  const answer = await fetch(`${service.address}/v1/watchlist/import`, { method: 'POST', headers, body });
  const { created } = (await answer.json()) as { created: number };
  if (created !== NAMES) throw new Error(`${created} of ${NAMES} names are watched`);
  return service.address;
}

async function startPlainPage(closing: (() => Promise<void>)[]): Promise<string> {
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<p>Hello</p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function bundleSize(): Figure {
  const files = builtAssets();
  const unpacked = files.reduce((total, { length }) => total + length, 0);
  return {
    what: 'all that it loads, gzipped',
    unit: 'kB',
    baseline: null,
    ratio: null,
    ours: rounded(gzippedSize(files) / 1_000),
    besides: { 'kB unpacked': rounded(unpacked / 1_000) },
  };
}
