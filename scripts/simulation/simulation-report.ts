import { toText } from '../performance/numbers.js';
import type { OperatorSchedule, SimulationResult } from './installation.js';
import type { MeasuredCosts, MeasuredLag } from './measured-costs.js';
import type { SimulationOptions } from './simulation-options.js';

/** The simulation of what the bench measured, beside it. */
export interface LagComparison {
  readonly measured: MeasuredLag;
  readonly simulated: SimulationResult['lagMs'];
}

export interface SimulationRun {
  readonly costs: MeasuredCosts;
  readonly result: SimulationResult;
  /** null when the figures have no lag. */
  readonly comparison: LagComparison | null;
}

export function formatReport(options: SimulationOptions, { result, comparison }: SimulationRun): string {
  const { names, intervalHours, workers, schedulers, postgresCores } = options;
  const percent = (part: number) => `${toText(part * 100)} %`;
  const { p50, p99, worst } = result.lagMs;
  return [
    `${toText(names)} names every ${toText(intervalHours)} h, ${count(workers, 'worker')} of one core, ${count(schedulers, 'scheduler')}, ` +
      `PostgreSQL with ${postgresCores} cores`,
    `wanted: ${toText(result.wantedPerSecond)} names/s; checked: ${toText(result.checkedPerSecond)} names/s`,
    `busy: workers ${percent(result.busy.workers)}, PostgreSQL ${percent(result.busy.postgresql)}, ` +
      `schedulers ${percent(result.busy.schedulers)}`,
    `lag behind the schedule below: p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms`,
    ...operatorLines(result.operators),
    comparison === null ? 'not compared: the figures have no lag' : comparisonLine(comparison),
  ].join('\n');
}

function count(many: number, what: string): string {
  return `${toText(many)} ${what}${many === 1 ? '' : 's'}`;
}

/** Operators with the same schedule share a line. */
function operatorLines(operators: readonly OperatorSchedule[]): string[] {
  const alike = Map.groupBy(operators, (one) => `${one.checkedEverySeconds} ${one.names} ${one.perSecond}`);
  return [...alike.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const who = rest.length === 0 ? first.name : `${first.name} and ${rest.length} more, each`;
    const limit = first.perSecond === 0 ? 'no rate limit' : `${toText(first.perSecond)} names/s`;
    const every = `each name every ${toDuration(first.checkedEverySeconds)} (${first.limitedBy})`;
    return [`  ${who}: ${toText(first.names)} names, ${limit}, ${every}`];
  });
}

function comparisonLine({ measured, simulated }: LagComparison): string {
  const { namesPerSecond, cores } = measured;
  const inWords = (lag: { p50: number; p99: number }) => `p50 ${toText(lag.p50)} ms, p99 ${toText(lag.p99)} ms`;
  return (
    `check with the bench at ${toText(namesPerSecond)} names/s on ${cores} cores: ` +
    `measured ${inWords(measured)}; simulated ${inWords(simulated)}`
  );
}

function toDuration(seconds: number): string {
  if (seconds < 120) return `${toText(seconds)} s`;
  if (seconds < 2 * 3_600) return `${toText(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${toText(seconds / 3_600)} h` : `${toText(seconds / 86_400)} days`;
}
