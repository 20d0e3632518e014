import type { MeasuredSuite } from '../../bench/figures-file.js';
import type { Figure } from '../../bench/suite.js';

export type Queue = 'redis' | 'postgresql';

/** What the bench measured, by the unit of work. */
export interface MeasuredCosts {
  /** Processor time of the service and of PostgreSQL for one name checked; microseconds. */
  readonly workerUs: number;
  readonly postgresUs: number;
  /** What it costs to claim one of so many names as were measured last; milliseconds. */
  readonly claimMs: number;
}

/** The lag that the bench measured, and at which rate on how many cores. */
export interface MeasuredLag {
  readonly p50: number;
  readonly p99: number;
  readonly namesPerSecond: number;
  readonly fullNamesPerSecond: number;
  readonly cores: number;
}

/** Claimed in each round of the suite. */
const CLAIMED = 10_000;

export class MissingFigureError extends Error {}

/** @throws MissingFigureError that names the suite to run */
export function measuredCosts(suites: readonly MeasuredSuite[], queue: Queue): MeasuredCosts {
  const name = findFigure(suites, 'costs', `a name checked, on ${queue}`);
  const claims = suites.find(({ suite }) => suite === 'claims')?.figures.at(-1);
  if (!claims) throw missing('claims');
  return { workerUs: name.ours, postgresUs: besides(name, 'µs of PostgreSQL'), claimMs: claims.ours / CLAIMED };
}

/** @returns null when the bench has not measured it */
export function measuredLag(suites: readonly MeasuredSuite[], queue: Queue): MeasuredLag | null {
  const measured = suites.find(({ suite }) => suite === 'lag');
  const figure = measured?.figures.find(({ what }) => what.startsWith(`on ${queue}`));
  if (!measured || !figure) return null;
  return {
    p50: besides(figure, 'p50'),
    p99: figure.ours,
    cores: measured.machine.cores,
    namesPerSecond: besides(figure, 'names/s'),
    fullNamesPerSecond: besides(figure, 'at full load'),
  };
}

export function findFigure(suites: readonly MeasuredSuite[], suite: string, what: string): Figure {
  const found = suites.find((one) => one.suite === suite)?.figures.find((figure) => figure.what === what);
  if (!found) throw missing(suite);
  return found;
}

export function besides({ what, besides: values }: Figure, name: string): number {
  const value = values[name];
  if (value === undefined) throw new MissingFigureError(`the figure "${what}" says nothing about "${name}"`);
  return value;
}

function missing(suite: string): MissingFigureError {
  return new MissingFigureError(
    `there are no figures of ${suite}: run "npm run bench -- ${suite} --figures bench/figures.json"`,
  );
}
