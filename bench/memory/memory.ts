import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../child.js';
import { type CleanupStack, withCleanup } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { readRss } from './rss.js';
import { DueNames } from './due-names.js';

const NAMES = 1_000_000;
/** More than a worker checks in a second. */
const NAMES_PER_SECOND = 15_000;
const WARM_UP_SECONDS = 3;

/** Flags of Node; the launcher adds its own, unless they are given. */
const USUAL = { what: 'as Node has it', flags: ['--heap-growing-percent=0'] };
const WAYS = [
  USUAL,
  { what: 'as the launcher has it', flags: [] },
  ...[1, 2, 4, 8, 16].map((size) => ({
    what: `so, and a semi-space of ${size} MiB`,
    flags: [`--max-semi-space-size=${size}`],
  })),
];

interface RunResult {
  /** MiB. */
  readonly peak: number;
  readonly idle: number;
  /** Names checked per second. */
  readonly rate: number;
}

/** A worker of its own at full throttle, then idle. */
export const suite: Suite = {
  name: 'memory',
  about: 'what a worker holds of the memory with a million names watched, by the flags of Node',
  measure: withCleanup(measure),
};

async function measure(plan: RunOptions, closing: CleanupStack): Promise<Figure[]> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const registry = await startChild(['--import', 'tsx', join(import.meta.dirname, '../watch/registry.ts')], {});
  closing.push(() => registry.close());
  const stream = await DueNames.of(plan.sizes?.[0] ?? NAMES, postgres.url, registry.address);
  closing.push(() => stream.close());
  const seen = new Map(WAYS.map((way) => [way, [] as RunResult[]]));
  for (let round = 0; round < plan.rounds; round += 1)
    for (const [{ flags }, all] of seen) all.push(await measureRun(stream, flags, plan.seconds));
  const usual = seen.get(USUAL) ?? [];
  return [...seen].map(([{ what }, all]) => figure(what, all, usual));
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

function figure(what: string, ours: readonly RunResult[], usual: readonly RunResult[]): Figure {
  const of = (part: keyof RunResult) => Math.round(median(ours.map((one) => one[part])));
  const ratio = (part: keyof RunResult) =>
    rounded(median(ours.map((one, round) => one[part] / (usual[round]?.[part] ?? NaN))));
  return {
    what,
    unit: 'MiB at most',
    ours: of('peak'),
    baseline: Math.round(median(usual.map(({ peak }) => peak))),
    ratio: ratio('peak'),
    besides: { idle: of('idle'), 'names/s': of('rate'), 'ratio of names/s': ratio('rate'), rounds: ours.length },
  };
}
