import { autocannon } from '../../tools/autocannon.js';
import type { CommandChild } from './child.js';
import { type OpenLoad, percentile, type Stream } from './open-loop.js';
import type { Figure, RunOptions } from './suite.js';

/** A server, and the requests that load it. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests under way at a time. */
  readonly connections?: number;
  /** A path that is another one for each request. */
  readonly nextPath?: () => string;
}

export interface Round {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds, as the next. */
  readonly p50: number;
  readonly p99: number;
}

/** A server to be loaded, or whatever else does the same thing again and again for so many seconds. */
type Subject = Load | ((seconds: number) => Promise<Round>);

interface Pair<Result> {
  readonly ours: Result;
  readonly baseline: Result;
}

/** Two that do the same, to be measured against each other in one run. */
export interface Comparison extends Pair<Subject> {
  readonly what: string;
}

export async function compare({ what, ...subjects }: Comparison, plan: RunOptions): Promise<Figure> {
  const pairs = await measureInTurns(subjects, plan, (subject: Subject, seconds) =>
    typeof subject === 'function' ? subject(seconds) : load(subject, seconds),
  );
  return {
    what,
    unit: 'requests/s',
    ours: Math.round(median(pairs.map((pair) => pair.ours.rate))),
    baseline: Math.round(median(pairs.map((pair) => pair.baseline.rate))),
    ratio: medianOf(pairs, (pair) => pair.ours.rate / pair.baseline.rate),
    besides: {
      'p50 ms': medianOf(pairs, (pair) => pair.ours.p50),
      'p99 ms': medianOf(pairs, (pair) => pair.ours.p99),
      'p99 ratio': medianOf(pairs, (pair) => pair.ours.p99 / Math.max(pair.baseline.p99, 1)),
      rounds: plan.rounds,
    },
  };
}

/** Two that are asked at the same fixed rate, in turn. */
export interface FixedRateComparison extends Pair<Omit<Stream, 'rate'>> {
  readonly what: string;
  /** Requests a second. */
  readonly rate: number;
}

/** The ratio is that of the 99th percentiles, by rounds. Throughput says nothing here: both answer all requests. */
export async function compareAtFixedRate(
  loop: CommandChild<OpenLoad, number[][]>,
  plan: RunOptions,
  { what, rate, ...subjects }: FixedRateComparison,
): Promise<Figure> {
  const pairs = await measureInTurns(subjects, plan, async (subject, seconds) => {
    const [took = []] = await loop.run({ streams: [{ ...subject, rate }], seconds });
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  });
  return {
    what: `${what}, ${rate} requests/s at fixed times`,
    unit: 'ms at p99',
    ours: medianOf(pairs, (pair) => pair.ours.p99),
    baseline: medianOf(pairs, (pair) => pair.baseline.p99),
    ratio: medianOf(pairs, (pair) => pair.ours.p99 / pair.baseline.p99),
    besides: {
      'p50 ms': medianOf(pairs, (pair) => pair.ours.p50),
      'p50 ms of the baseline': medianOf(pairs, (pair) => pair.baseline.p50),
      rounds: plan.rounds,
    },
  };
}

/** Alternates the two, so that whatever else the machine does weighs on both alike. */
async function measureInTurns<One, Result>(
  subjects: Pair<One>,
  { rounds, seconds }: RunOptions,
  run: (subject: One, seconds: number) => Promise<Result>,
): Promise<Pair<Result>[]> {
  await run(subjects.ours, 2);
  await run(subjects.baseline, 2);
  const pairs: Pair<Result>[] = [];
  for (let nth = 0; nth < rounds; nth += 1)
    pairs.push(await runBoth(nth, subjects, (subject) => run(subject, seconds)));
  return pairs;
}

/** The second one finds a warmer machine and database, so the order alternates from round to round. */
export async function runBoth<One, Result>(
  nth: number,
  { ours, baseline }: Pair<One>,
  run: (subject: One) => Promise<Result>,
): Promise<Pair<Result>> {
  const isOursFirst = nth % 2 === 0;
  const first = await run(isOursFirst ? ours : baseline);
  const second = await run(isOursFirst ? baseline : ours);
  return isOursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first };
}

const CONNECTIONS = 16;

/**
 * Loads one server for some seconds with a fixed number of connections.
 * @throws when any answer is not 200: a fast refusal must not count as speed.
 */
async function load({ url, headers, connections, nextPath }: Load, seconds: number): Promise<Round> {
  const requests = nextPath && [{ setupRequest: (request: object) => ({ ...request, path: nextPath() }) }];
  const result = await autocannon({
    url,
    headers: { ...headers },
    connections: connections ?? CONNECTIONS,
    duration: seconds,
    ...(requests && { requests }),
  });
  const answered = result['2xx'];
  if (answered === 0 || result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${answered} answers, ${result.non2xx} refusals, ${result.errors} errors`);
  return { rate: answered / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}

function medianOf<One>(all: readonly One[], read: (one: One) => number): number {
  return rounded(median(all.map(read)));
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
