import { median, rounded } from './comparison.js';
import type { Round } from './load.js';
import { type OpenLoop, type Stream, toRound } from './open-loop.js';
import type { Figure, RunOptions } from './suite.js';

/** Two that are asked at the same fixed rate, in turn. */
export interface FixedRateComparison {
  readonly what: string;
  /** Requests a second. */
  readonly rate: number;
  readonly ours: Omit<Stream, 'rate'>;
  readonly baseline: Omit<Stream, 'rate'>;
}

/** The ratio is that of the 99th percentiles, by rounds. Throughput says nothing here: both answer all requests. */
export async function compareAtFixedRate(
  loop: OpenLoop,
  { rounds, seconds }: RunOptions,
  { what, rate, ours, baseline }: FixedRateComparison,
): Promise<Figure> {
  const run = async (subject: Omit<Stream, 'rate'>, duration: number): Promise<Round> => {
    const [took = []] = await loop.run([{ ...subject, rate }], duration);
    return toRound(took, rate);
  };
  await run(ours, 2);
  await run(baseline, 2);
  const pairs: { ours: Round; baseline: Round }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await run(round % 2 === 0 ? ours : baseline, seconds);
    const second = await run(round % 2 === 0 ? baseline : ours, seconds);
    pairs.push(round % 2 === 0 ? { ours: first, baseline: second } : { ours: second, baseline: first });
  }
  const at = (read: (pair: (typeof pairs)[number]) => number) => rounded(median(pairs.map(read)));
  return {
    what: `${what}, ${rate} requests/s at fixed times`,
    unit: 'ms at p99',
    ours: at((pair) => pair.ours.p99),
    baseline: at((pair) => pair.baseline.p99),
    ratio: at((pair) => pair.ours.p99 / pair.baseline.p99),
    besides: {
      'p50 ms': at((pair) => pair.ours.p50),
      'p50 ms of the baseline': at((pair) => pair.baseline.p50),
      rounds,
    },
  };
}
