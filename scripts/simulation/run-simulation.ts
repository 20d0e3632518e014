import { type MeasuredSuite, readFigures } from '../../bench/figures-file.js';
import type { Installation, SimulationResult } from './installation.js';
import {
  type MeasuredCosts,
  measuredCosts,
  type MeasuredLag,
  measuredLag,
  MissingFigureError,
} from './measured-costs.js';
import { simulate } from './model.js';
import { toOperators } from './operator-mix.js';
import { parseSimulationOptions, type SimulationOptions, SimulationOptionError } from './simulation-options.js';
import { formatReport, type LagComparison, type SimulationRun } from './simulation-report.js';

/** Simulates the installation that the arguments describe, and prints the result. @returns the exit code */
export function runSimulation(args: readonly string[]): number {
  try {
    const options = parseSimulationOptions(args);
    const run = simulateWith(options, readFigures(options.figures));
    console.log(options.json ? JSON.stringify({ options, ...run }) : formatReport(options, run));
    return 0;
  } catch (error) {
    if (!(error instanceof SimulationOptionError || error instanceof MissingFigureError)) throw error;
    console.error(error.message);
    return 2;
  }
}

/** What the command prints with these figures. */
export function simulationText(args: readonly string[], suites: readonly MeasuredSuite[]): string {
  const options = parseSimulationOptions(args);
  return formatReport(options, simulateWith(options, suites));
}

function simulateWith(options: SimulationOptions, suites: readonly MeasuredSuite[]): SimulationRun {
  const measured = measuredCosts(suites, options.queue);
  const costs = {
    workerUs: options.workerUs ?? measured.workerUs,
    postgresUs: options.postgresUs ?? measured.postgresUs,
    claimMs: options.claimMs ?? measured.claimMs,
  };
  const lag = measuredLag(suites, options.queue);
  return { costs, result: simulate(toInstallation(options, costs)), comparison: lag && compareLag(lag, costs) };
}

function toInstallation(options: SimulationOptions, { workerUs, postgresUs, claimMs }: MeasuredCosts): Installation {
  return {
    operators: toOperators(options.names, options.limits),
    intervalSeconds: options.intervalHours * 3_600,
    workers: options.workers,
    schedulers: options.schedulers,
    workerNamesPerSecond: 1e6 / workerUs,
    postgresNamesPerSecond: (options.postgresCores * 1e6) / postgresUs,
    claimMsPerName: claimMs,
    registryMs: options.registryMs,
  };
}

/** The bench's own installation: a process for each core, one of which claims, and one operator without a rate limit. */
function compareLag(measured: MeasuredLag, { claimMs }: Pick<MeasuredCosts, 'claimMs'>): LagComparison {
  const { namesPerSecond, fullNamesPerSecond, cores } = measured;
  const simulated: SimulationResult = simulate({
    operators: [{ name: 'loopback', names: namesPerSecond * 3_600, perSecond: 0, concurrency: 1_000 }],
    intervalSeconds: 3_600,
    workers: cores,
    schedulers: 1,
    workerNamesPerSecond: fullNamesPerSecond / cores,
    postgresNamesPerSecond: Infinity, // it shares the cores, so the full rate includes it
    claimMsPerName: claimMs,
    registryMs: 0,
  });
  return { measured, simulated: simulated.lagMs };
}
