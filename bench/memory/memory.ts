import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../child.js';
import { median, rounded } from '../contest.js';
import type { Figure, Plan, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { residentOf } from './resident.js';
import { Stream } from './stream.js';

const NAMES = 1_000_000;
/** More than a worker looks at in a second. */
const A_SECOND = 15_000;
const WARM_UP = 3;

/** MiB of a half of the young generation; null for Node's own default. */
const SEMI_SPACES = [null, 1, 2, 4, 8, 16];

interface Seen {
  /** MiB. */
  readonly peak: number;
  readonly idle: number;
  /** Names looked at in a second. */
  readonly rate: number;
}

/** A worker of its own at full throttle, then idle. */
export const suite: Suite = {
  name: 'memory',
  about: 'what a worker holds of the memory with a million names watched, by the size of its young generation',
  measure: async (plan) => {
    const closing: (() => Promise<void>)[] = [];
    try {
      return await measure(plan, closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

async function measure(plan: Plan, closing: (() => Promise<void>)[]): Promise<Figure[]> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const registry = await startChild(['--import', 'tsx', join(import.meta.dirname, '../watch/registry.ts')], {});
  closing.push(() => registry.close());
  const stream = await Stream.of(plan.sizes?.[0] ?? NAMES, postgres.url, registry.address);
  closing.push(() => stream.close());
  const seen = new Map(SEMI_SPACES.map((size) => [size, [] as Seen[]]));
  for (let round = 0; round < plan.rounds; round += 1)
    for (const [size, all] of seen) all.push(await look(stream, size, plan.seconds));
  const usual = seen.get(null) ?? [];
  return [...seen].map(([size, all]) => figure(size, all, usual));
}

async function look(stream: Stream, semiSpace: number | null, seconds: number): Promise<Seen> {
  await stream.fill(A_SECOND * (WARM_UP + seconds));
  const worker = await stream.start('worker', semiSpace === null ? [] : [`--max-semi-space-size=${semiSpace}`]);
  const scheduler = await stream.start('scheduler');
  await pause(WARM_UP * 1_000);
  const [began, before] = [performance.now(), await stream.left()];
  await pause(seconds * 1_000);
  const after = await stream.left();
  const rate = (before - after) / ((performance.now() - began) / 1_000);
  if (after === 0) throw new Error('it had nothing left to do');
  await scheduler.close();
  await pause(5_000);
  const { now: idle, peak } = residentOf(worker.pid);
  await worker.close();
  return { peak, idle, rate };
}

function figure(semiSpace: number | null, ours: readonly Seen[], usual: readonly Seen[]): Figure {
  const of = (what: keyof Seen) => Math.round(median(ours.map((one) => one[what])));
  const ratio = (what: keyof Seen) =>
    rounded(median(ours.map((one, round) => one[what] / (usual[round]?.[what] ?? NaN))));
  return {
    what: semiSpace === null ? 'as Node has it' : `semi-space of ${semiSpace} MiB`,
    unit: 'MiB at most',
    ours: of('peak'),
    baseline: Math.round(median(usual.map(({ peak }) => peak))),
    ratio: ratio('peak'),
    besides: { idle: of('idle'), 'names/s': of('rate'), 'ratio of names/s': ratio('rate'), rounds: ours.length },
  };
}
