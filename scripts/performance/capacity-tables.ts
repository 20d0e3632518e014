import type { MeasuredSuite } from '../../bench/figures-file.js';
import { SETTINGS } from '../../src/config/settings.js';
import { queuePoolSizes } from '../../src/platform/queue/store-queue.js';
import { besides, findFigure, measuredCosts, type Queue } from '../simulation/measured-costs.js';
import { toTable, toText } from './numbers.js';

/** Plan with half of a core: the rest is for bursts, garbage collection, vacuum, and the loss of a machine. */
export const PLANNED_PART = 0.5;

const WORK = [
  ['a name checked, on redis', 'names'],
  ['a name checked, on postgresql', 'names'],
  ['a webhook attempt, on redis', 'attempts'],
  ['a webhook attempt, on postgresql', 'attempts'],
  ['a list page of 20', 'pages'],
] as const;

/** A core carries a million microseconds a second. */
export function costTable(suites: readonly MeasuredSuite[]): string {
  const rows = WORK.map(([what]) => {
    const figure = findFigure(suites, 'costs', what);
    const parts = [figure.ours, besides(figure, 'µs of PostgreSQL'), besides(figure, 'µs of Redis')];
    return [what, ...parts.flatMap((us) => [toText(us), us < 1 ? '–' : toText(1e6 / us)])];
  });
  const heading = [
    'work',
    'service, µs',
    'a core carries',
    'PostgreSQL, µs',
    'a core carries',
    'Redis, µs',
    'it carries',
  ];
  return toTable([heading, ...rows], [false, true, true, true, true, true, true]);
}

const INSTALLATIONS = [
  [100_000, 1],
  [1_000_000, 24],
  [1_000_000, 1],
  [10_000_000, 24],
  [10_000_000, 6],
  [100_000_000, 24],
] as const;

export function workerTable(suites: readonly MeasuredSuite[], queue: Queue): string {
  const { workerUs, postgresUs } = measuredCosts(suites, queue);
  const redisUs = besides(findFigure(suites, 'costs', `a name checked, on ${queue}`), 'µs of Redis');
  const rows = INSTALLATIONS.map(([names, hours]) => {
    const rate = names / (hours * 3_600);
    const cores = (us: number) => (rate * us) / 1e6;
    return [
      toText(names),
      `${hours} h`,
      toText(rate),
      String(Math.ceil(cores(workerUs) / PLANNED_PART)),
      toText(cores(postgresUs) / PLANNED_PART),
      `${toText(cores(redisUs) * 100)} %`,
    ];
  });
  const heading = ['names', 'interval', 'names/s', 'worker processes', 'PostgreSQL cores', 'of one Redis'];
  return toTable([heading, ...rows], [true, true, true, true, true, true]);
}

/** Connections that one process may open at most, by its role; docs/configuration.md has the rule. */
const POOLS = { api: 2, worker: 2, scheduler: 2, all: 4 };
const QUEUES = 2;

export function connectionTable(): string {
  const pool = SETTINGS.databasePool.default;
  const rows = Object.entries(POOLS).map(([role, pools]) => {
    const { queue, worker } = queuePoolSizes(role as keyof typeof POOLS);
    const workers = role === 'worker' || role === 'all' ? QUEUES : 0;
    const onQueue = queue * QUEUES + worker * workers;
    return [`\`${role}\``, String(pools * pool), String(pools * pool + onQueue)];
  });
  return toTable([['role', 'queue on Redis', 'queue on PostgreSQL'], ...rows], [false, true, true]);
}

/** Counts those of api, worker and scheduler processes together. */
export function connectionsOf(processes: number): number {
  return processes * POOLS.worker * SETTINGS.databasePool.default;
}
