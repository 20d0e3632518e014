import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { watchedEntries } from '../watched-entries.js';
import { DueNames } from './due-names.js';
import { readRss } from './rss.js';

const SIZES = [1_000_000];
/** More than a worker checks in a second. */
const NAMES_PER_SECOND = 15_000;
const WARM_UP_SECONDS = 3;

/** Flags of Node; the launcher adds its own, unless they are given. */
const WAYS = {
  usual: ['--heap-growing-percent=0', '--max-semi-space-size=0'],
  launcher: [],
};

interface RunResult {
  /** MiB. */
  readonly peak: number;
  readonly idle: number;
  /** Names checked per second. */
  readonly rate: number;
}

type Runs = Record<keyof typeof WAYS, RunResult[]>;

/** A worker of its own at full throttle, then idle; `--sizes` watches other numbers of names. */
export const suite: Suite = {
  name: 'memory',
  about: 'what a worker holds of the memory, as the launcher starts it, against the same with the flags that Node has',
  limitSeconds: 1_800, // ten million entries are seeded in a quarter of an hour
  measure: withCleanup(measure),
};

async function measure(plan: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const registry = await startChild(
    ['--import', './scripts/typescript.mjs', join(import.meta.dirname, '../watch/registry.ts')],
    {},
  );
  closing.push(() => registry.close());
  const figures: Figure[] = [];
  for (const size of plan.sizes ?? SIZES) figures.push(await measureSize(size, registry.address, plan));
  return figures;
}

async function measureSize(size: number, registry: string, plan: RunOptions): Promise<Figure> {
  const postgres = await seededPostgres(watchedEntries(size), plan.keep);
  try {
    const stream = await DueNames.of(postgres.url, registry);
    try {
      const runs: Runs = { usual: [], launcher: [] };
      for (let round = 0; round < plan.rounds; round += 1)
        for (const way of ['usual', 'launcher'] as const) {
          console.error(`${size} names, round ${round + 1} of ${plan.rounds}, flags: ${WAYS[way].join(' ') || 'ours'}`);
          runs[way].push(await measureRun(stream, WAYS[way], plan.seconds));
        }
      return figure(`with ${size} names watched`, runs);
    } finally {
      await stream.close();
    }
  } finally {
    await postgres.close();
  }
}

async function measureRun(stream: DueNames, flags: readonly string[], seconds: number): Promise<RunResult> {
  await stream.fill(NAMES_PER_SECOND * (WARM_UP_SECONDS + seconds));
  const worker = await stream.start('worker', flags);
  const scheduler = await stream.start('scheduler');
  await pause(WARM_UP_SECONDS * 1_000);
  const [began, before] = [performance.now(), await stream.left()];
  await pause(seconds * 1_000);
  const after = await stream.left();
  const rate = (before - after) / ((performance.now() - began) / 1_000);
  if (after === 0) throw new Error('it had nothing left to do');
  await scheduler.close();
  await pause(5_000);
  const { now: idle, peak } = readRss(worker.pid);
  await worker.close();
  return { peak, idle, rate };
}

function figure(what: string, { usual, launcher }: Runs): Figure {
  const of = (part: keyof RunResult) => Math.round(median(launcher.map((one) => one[part])));
  const ratio = (part: keyof RunResult) =>
    rounded(median(launcher.map((one, round) => one[part] / (usual[round]?.[part] ?? NaN))));
  return {
    what,
    unit: 'MiB at most',
    ours: of('peak'),
    baseline: Math.round(median(usual.map(({ peak }) => peak))),
    ratio: ratio('peak'),
    besides: { idle: of('idle'), 'names/s': of('rate'), 'ratio of names/s': ratio('rate'), rounds: launcher.length },
  };
}
