import { load, type Round } from './load.js';
import type { Contest, Suite } from './suite.js';

export interface Result {
  readonly suite: string;
  readonly figure: number;
  readonly baseline: number;
  /** Of the rates, ours to the baseline's: the median of the rounds. */
  readonly ratio: number;
  /** Of the 99th percentiles, ours to the baseline's: the median of the rounds. */
  readonly p99_ratio: number;
  readonly unit: string;
  readonly rounds: number;
}

export interface Plan {
  readonly rounds: number;
  /** Of one round of one server. */
  readonly seconds: number;
}

/** Alternates the two servers, so that whatever else the machine does weighs on both alike. */
export async function contest(suite: Suite, { rounds, seconds }: Plan): Promise<Result> {
  const { ours, baseline, close } = await suite.prepare();
  try {
    await warmUp({ ours, baseline, close });
    const pairs: { ours: Round; baseline: Round }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Whoever goes second finds a warmer database: they take turns at that too.
      const oursFirst = round % 2 === 0;
      const first = await load(oursFirst ? ours : baseline, seconds);
      const second = await load(oursFirst ? baseline : ours, seconds);
      pairs.push(oursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first });
    }
    return {
      suite: suite.name,
      figure: Math.round(median(pairs.map((pair) => pair.ours.rate))),
      baseline: Math.round(median(pairs.map((pair) => pair.baseline.rate))),
      ratio: rounded(median(pairs.map((pair) => pair.ours.rate / pair.baseline.rate))),
      p99_ratio: rounded(median(pairs.map((pair) => pair.ours.p99 / Math.max(pair.baseline.p99, 1)))),
      unit: suite.unit,
      rounds,
    };
  } finally {
    await close();
  }
}

async function warmUp({ ours, baseline }: Contest): Promise<void> {
  await load(ours, 2);
  await load(baseline, 2);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? NaN;
  const high = sorted[Math.floor(middle)] ?? NaN;
  return (low + high) / 2;
}

function rounded(ratio: number): number {
  return Math.round(ratio * 1_000) / 1_000;
}
