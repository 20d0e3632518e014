import { type Load, load, type Round } from './load.js';
import type { Figure, Plan } from './suite.js';

/** Two servers that answer the same request, to be measured against each other in one run. */
export interface Contest {
  readonly what: string;
  readonly ours: Load;
  readonly baseline: Load;
  readonly close: () => Promise<void>;
}

/** Alternates the two servers, so that whatever else the machine does weighs on both alike. */
export async function contest(contestants: Contest, { rounds, seconds }: Plan): Promise<Figure> {
  const { what, ours, baseline, close } = contestants;
  try {
    await warmUp(contestants);
    const pairs: { ours: Round; baseline: Round }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Whoever goes second finds a warmer database: they take turns at that too.
      const oursFirst = round % 2 === 0;
      const first = await load(oursFirst ? ours : baseline, seconds);
      const second = await load(oursFirst ? baseline : ours, seconds);
      pairs.push(oursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first });
    }
    return {
      what,
      unit: 'requests/s',
      ours: Math.round(median(pairs.map((pair) => pair.ours.rate))),
      baseline: Math.round(median(pairs.map((pair) => pair.baseline.rate))),
      ratio: rounded(median(pairs.map((pair) => pair.ours.rate / pair.baseline.rate))),
      besides: {
        'p99 ratio': rounded(median(pairs.map((pair) => pair.ours.p99 / Math.max(pair.baseline.p99, 1)))),
        rounds,
      },
    };
  } finally {
    await close();
  }
}

async function warmUp({ ours, baseline }: Contest): Promise<void> {
  await load(ours, 2);
  await load(baseline, 2);
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
