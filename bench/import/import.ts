import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { quietSettings, startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import { freePort } from '../../src/process/postgres/embedded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { BareInserts } from './bare-inserts.js';
import { besideLookups } from './beside-lookups.js';
import { Importer } from './importer.js';

const NAMES = 10_000;
const MANY = 90_000;

/** A watchlist that is brought in as a file. */
export const suite: Suite = {
  name: 'import',
  about:
    'a CSV of new names, against bare inserts of the same rows, 500 in a transaction, and the memory that it takes; ' +
    'the same under `npm start`, where the first lookups run in the same process, against a process that makes none',
  measure: withCleanup(measure),
};

async function measure({ rounds }: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const [key, metricsPort] = [generateApiKey(), await freePort()];
  const service = await startChild([join(import.meta.dirname, '../../bin/namewatch.mjs'), 'up'], {
    ...quietSettings(postgres.url),
    DATA_DIR: folder,
    ROLE: 'api',
    BOOTSTRAP_API_KEY: key.text,
    METRICS_PORT: String(metricsPort),
    PLANS_FILE: Importer.plansFile(folder),
  });
  closing.push(() => service.close());
  const bare = await BareInserts.open(postgres.url);
  closing.push(() => bare.close());
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
  const importer = new Importer(service.address, () => bare.openAccount(), metrics);
  return [await speed(importer, bare, rounds), await memory(importer), ...(await besideLookups(closing, rounds))];
}

async function speed(importer: Importer, bare: BareInserts, rounds: number): Promise<Figure> {
  await importer.import('warm', 1_000);
  await bare.insert('bare-warm', 1_000);
  const pairs: { ours: number; baseline: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ours = await importer.import(`round-${round}`, NAMES);
    pairs.push({ ours, baseline: await bare.insert(`bare-${round}`, NAMES) });
  }
  const ours = median(pairs.map((pair) => pair.ours));
  return {
    what: `${NAMES} new names`,
    unit: 's',
    ours: rounded(ours),
    baseline: rounded(median(pairs.map((pair) => pair.baseline))),
    ratio: rounded(median(pairs.map((pair) => pair.ours / pair.baseline))),
    besides: {
      'names/s': Math.round(NAMES / ours),
      slowest: rounded(Math.max(...pairs.map((pair) => pair.ours))),
      rounds,
    },
  };
}

/** Nine times as many names must not take more memory than the first ones did, but for the file itself. */
async function memory(importer: Importer): Promise<Figure> {
  const few = await importer.peakDuring(() => importer.import('few', NAMES));
  const many = await importer.peakDuring(() => importer.import('many', MANY));
  const megabytes = (bytes: number) => Math.round(bytes / 1_048_576);
  return {
    what: `peak memory with ${MANY} names`,
    unit: 'MiB',
    ours: megabytes(many),
    baseline: megabytes(few),
    ratio: rounded(many / few),
    besides: { names: MANY },
  };
}
