import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/process/postgres/embedded-postgres.js';
import { startChild } from '../child.js';
import type { CleanupStack } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import type { Figure } from '../suite.js';
import { Importer } from './importer.js';

const NAMES = 10_000;
const MEBIBYTE = 1_048_576;

/**
 * One process on the embedded database, as `npm start` starts it.
 * @param role `all`, or `api`: the same without lookups
 */
export async function embeddedService(closing: CleanupStack, role: 'all' | 'api'): Promise<Importer> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const metricsPort = await freePort();
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up', '--restart'], {
    DATA_DIR: folder,
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    PLANS_FILE: Importer.plansFile(folder),
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    ROLE: role,
  });
  closing.push(() => service.close());
  const key = readFileSync(join(folder, 'first-key'), 'utf8').trim();
  return new Importer(service.address, () => Promise.resolve(key), `http://127.0.0.1:${metricsPort}/metrics`);
}

/** Importing beside the first lookups of the names, against importing alone. */
export async function besideLookups(closing: CleanupStack, rounds: number): Promise<Figure[]> {
  const whole = await embeddedService(closing, 'all');
  const alone = await embeddedService(closing, 'api');
  await alone.import('warm', 1_000);
  await whole.import('warm', 1_000);
  await whole.settle();
  const seen: {
    ours: number;
    baseline: number;
    idle: number;
    peak: number;
    peakAfter: number;
    lookupSeconds: number;
  }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await whole.residentBytes();
    let ours = 0;
    const peak = await whole.peakDuring(async () => (ours = await whole.import(`all-${round}`, NAMES)));
    const began = performance.now();
    const peakAfter = await whole.peakDuring(() => whole.settle());
    const lookupSeconds = (performance.now() - began) / 1_000;
    seen.push({ ours, baseline: await alone.import(`alone-${round}`, NAMES), idle, peak, peakAfter, lookupSeconds });
  }
  const of = (part: (one: (typeof seen)[number]) => number) => median(seen.map(part));
  return [
    {
      what: `${NAMES} new names beside their first lookups`,
      unit: 's',
      ours: rounded(of(({ ours }) => ours)),
      baseline: rounded(of(({ baseline }) => baseline)),
      ratio: rounded(of(({ ours, baseline }) => ours / baseline)),
      besides: { 's until all are looked up': rounded(of(({ lookupSeconds }) => lookupSeconds)), rounds },
    },
    {
      what: 'memory that this takes beside the idle service',
      unit: 'MiB',
      baseline: null,
      ratio: null,
      ours: Math.round(of(({ peak, idle }) => peak - idle) / MEBIBYTE),
      besides: {
        'MiB while they are looked up': Math.round(of(({ peakAfter, idle }) => peakAfter - idle) / MEBIBYTE),
        'MiB idle': Math.round(of(({ idle }) => idle) / MEBIBYTE),
        rounds,
      },
    },
  ];
}
