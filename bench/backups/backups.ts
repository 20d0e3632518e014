import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import { percentile, startOpenLoop, type Stream } from '../open-loop.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { unlimited } from '../unlimited.js';
import { seedDataDirectory } from './seed.js';

const LAUNCHER = join(import.meta.dirname, '../../bin/namewatch.mjs');
const ENTRIES = 200_000;
/** Requests of each kind a second: what a machine answers easily, so that a wait is the backup's. */
const RATE = 20;

/** What the command says of a backup. */
interface Taken {
  readonly bytes: number;
  readonly tables: Readonly<Record<string, number>>;
}

/** What one kind of request took while the same service was backed up, and while it was not; milliseconds. */
interface Round {
  readonly beside: readonly number[];
  readonly without: readonly number[];
}

/** A whole service with its embedded PostgreSQL, `--sizes` gives the number of entries in it. */
export const suite: Suite = {
  name: 'backups',
  about: 'requests beside a backup of the whole service, against the same requests without one; backup and restore',
  limitSeconds: 1_800, // with a million entries
  measure: withCleanup(measure),
};

async function measure({ sizes, rounds }: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const entries = sizes?.[0] ?? ENTRIES;
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  chmodSync(folder, 0o711); // PostgreSQL's user walks through it
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const dataDir = join(folder, 'data');
  const key = await seedDataDirectory(dataDir, entries);
  const quiet = { PORT: '0', RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'warn' };
  const env = { ...quiet, ...unlimited(folder), ACCOUNT_CONCURRENCY: '1000' }; // a wait is measured, not refused
  const service = await startChild([LAUNCHER, 'up'], { ...env, DATA_DIR: dataDir });
  closing.push(() => service.close());
  const loop = await startOpenLoop();
  closing.push(() => loop.close());

  const requests = {
    'GET list': '/v1/watchlist?per_page=20',
    'GET check': '/v1/domains/check?domain=n{n}--registered.test',
  };
  const headers = { authorization: `Bearer ${key}` };
  const streams: Stream[] = Object.values(requests).map((path) => ({
    url: service.address + path,
    headers,
    rate: RATE,
  }));
  const target = join(folder, 'backup');
  const backUp = async () => {
    rmSync(target, { recursive: true, force: true });
    return timed(() => run<Taken>(['backup', target], dataDir));
  };
  await loop.run(streams, 5);
  const first = await backUp();
  const seconds = Math.max(3, first.seconds * 0.9); // all of it beside the backup
  const backups = [];
  const pairs: Round[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const without = await loop.run(streams, seconds);
    const [beside, taken] = await Promise.all([loop.run(streams, seconds), backUp()]);
    backups.push(taken);
    pairs.push(Object.keys(requests).map((_, nth) => ({ beside: beside[nth] ?? [], without: without[nth] ?? [] })));
  }
  const restores = [];
  for (let round = 0; round < rounds; round += 1)
    restores.push(await timed(() => run<Taken>(['restore', target], join(folder, `restored-${round}`))));
  if (restores.some(({ result }) => result.tables['watch_entries'] !== entries)) throw new Error('entries are missing');

  const what = (task: string) => `${task} of ${entries} entries`;
  return [
    ...Object.keys(requests).map((name, nth) =>
      besideFigure(
        `${name} beside a ${what('backup')}`,
        pairs.flatMap((kinds) => kinds[nth] ?? []),
      ),
    ),
    durationFigure(what('backup, while these were answered'), backups),
    durationFigure(what('restore'), restores),
  ];
}

interface Timed {
  readonly seconds: number;
  readonly result: Taken;
}

async function timed(work: () => Promise<Taken>): Promise<Timed> {
  const began = performance.now();
  const result = await work();
  return { seconds: (performance.now() - began) / 1_000, result };
}

async function run<Result>(words: readonly string[], dataDir: string): Promise<Result> {
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [LAUNCHER, ...words, '--json'], { env });
  return JSON.parse(stdout) as Result;
}

function besideFigure(what: string, rounds: readonly Round[]): Figure {
  const at = (part: number, of: keyof Round) => median(rounds.map((round) => percentile(round[of], part)));
  return {
    what: `${what}, ${RATE} requests/s at fixed times`,
    unit: 'ms at p99',
    ours: rounded(at(0.99, 'beside')),
    baseline: rounded(at(0.99, 'without')),
    ratio: rounded(median(rounds.map(({ beside, without }) => percentile(beside, 0.99) / percentile(without, 0.99)))),
    besides: {
      'p50 ms': rounded(at(0.5, 'beside')),
      'p50 ms of the baseline': rounded(at(0.5, 'without')),
      'slowest ms': rounded(Math.max(...rounds.flatMap(({ beside }) => beside))),
      'slowest ms of the baseline': rounded(Math.max(...rounds.flatMap(({ without }) => without))),
      rounds: rounds.length,
    },
  };
}

function durationFigure(what: string, runs: readonly Timed[]): Figure {
  const [{ bytes } = { bytes: NaN }] = runs.map(({ result }) => result);
  return {
    what,
    unit: 's',
    ours: rounded(median(runs.map(({ seconds }) => seconds))),
    baseline: null,
    ratio: null,
    besides: { MB: Math.round(bytes / 1e6), rounds: runs.length },
  };
}
