import { type Load, load, type Round } from './load.js';
import type { Figure, RunOptions } from './suite.js';

/** A server to be loaded, or whatever else does the same thing again and again for so many seconds. */
type Subject = Load | ((seconds: number) => Promise<Round>);

/** Two that do the same, to be measured against each other in one run. */
export interface Comparison {
  readonly what: string;
  readonly ours: Subject;
  readonly baseline: Subject;
  readonly close: () => Promise<void>;
}

/** Alternates the two, so that whatever else the machine does weighs on both alike. */
export async function compare(contestants: Comparison, { rounds, seconds }: RunOptions): Promise<Figure> {
  const { what, ours, baseline, close } = contestants;
  try {
    await warmUp(contestants);
    const pairs: { ours: Round; baseline: Round }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // the second one finds a warmer database, so the order alternates too
      const oursFirst = round % 2 === 0;
      const first = await run(oursFirst ? ours : baseline, seconds);
      const second = await run(oursFirst ? baseline : ours, seconds);
      pairs.push(oursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first });
    }
    return {
      what,
      unit: 'requests/s',
      ours: Math.round(median(pairs.map((pair) => pair.ours.rate))),
      baseline: Math.round(median(pairs.map((pair) => pair.baseline.rate))),
      ratio: rounded(median(pairs.map((pair) => pair.ours.rate / pair.baseline.rate))),
      besides: {
        'p50 ms': rounded(median(pairs.map((pair) => pair.ours.p50))),
        'p99 ms': rounded(median(pairs.map((pair) => pair.ours.p99))),
        'p99 ratio': rounded(median(pairs.map((pair) => pair.ours.p99 / Math.max(pair.baseline.p99, 1)))),
        rounds,
      },
    };
  } finally {
    await close();
  }
}

async function warmUp({ ours, baseline }: Comparison): Promise<void> {
  await run(ours, 2);
  await run(baseline, 2);
}

function run(contestant: Subject, seconds: number): Promise<Round> {
  return typeof contestant === 'function' ? contestant(seconds) : load(contestant, seconds);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? NaN;
  const high = sorted[Math.floor(middle)] ?? NaN;
  return (low + high) / 2;
}

export function rounded(ratio: number): number {
  return Math.round(ratio * 1_000) / 1_000;
}

/** How far rounds are apart. */
export function spread(ratios: readonly number[]): Record<string, number> {
  return { 'lowest ratio': rounded(Math.min(...ratios)), 'highest ratio': rounded(Math.max(...ratios)) };
}
