import type { MeasuredSuite } from '../../bench/figures-file.js';
import { machineText } from '../../bench/machine.js';
import { besides, findFigure } from '../simulation/measured-costs.js';
import { simulationText } from '../simulation/run-simulation.js';
import { BUILT_IN_OPERATORS } from '../../src/config/budgets.js';
import { connectionsOf, connectionTable, costTable, PLANNED_PART, workerTable } from './capacity-tables.js';
import { toText } from './numbers.js';

const SECONDS_PER_DAY = 86_400;

/** @returns docs/scaling.md, whole: every number is measured, simulated from what was measured, or read from the code */
export function toScalingDocument(suites: readonly MeasuredSuite[]): string {
  const costs = suites.find(({ suite }) => suite === 'costs');
  const machine = costs ? `commit \`${costs.commit}\` on ${machineText(costs.machine)}` : 'no commit';
  return `# Scaling

Written by \`npm run -s performance\` from [bench/figures.json](../bench/figures.json): change nothing here by hand. What was
measured, and how, is in [performance.md](performance.md).

## Registries come first

${registryLimits()}

## What one core, one PostgreSQL and one Redis carry

Processor time for one unit of work, measured at ${machine}.

A core carries a million divided by that a second. A Node process uses one core, Redis too; PostgreSQL uses as many as it has
connections at work. Its disk is left out: the bench does not wait for it, and to wait costs time, not processor time.

${costTable(suites)}

## How many workers

Names divided by the interval are names a second; times the microseconds above, they are cores. Planned with ${toText(
    PLANNED_PART * 100,
  )} % of each core, so that
bursts, a vacuum and the loss of a machine fit in. The queue is on Redis; registries have no rate limits here.

${workerTable(suites, 'redis')}

To simulate yours, with rate limits, in a minute of claims and checks:

${simulations(suites)}

The last line of each compares the simulation with the measured \`lag\`. The mix of operators is that of
[budgets.md](budgets.md); \`--limits none\` leaves rate limits out, \`--limits 10\` multiplies them, \`--worker-us\`,
\`--postgres-us\` and \`--claim-ms\` (for one name) replace measured costs, \`--postgres-cores\`, \`--schedulers\` and
\`--registry-ms\` describe the rest, and \`--json\` prints everything.

## When to split roles

Start with \`ROLE=all\` in one process. Split when one of these holds:

- Checks and deliveries together need more than ${toText(PLANNED_PART * 100)} % of a core: add processes with \`ROLE=worker\`, one for each core.
- People notice checks: give requests processes of their own with \`ROLE=api\`.
- The service has to survive a machine: two processes of each role on two machines. Two schedulers are enough for any number
  of names: to claim takes ${claimCost(suites)} ms for each 10 000 names. The second is there for the loss of the first.

Without Redis the queue is in PostgreSQL, which saves a server and costs PostgreSQL what the first table says. Redis holds
nothing that is lost with it.

## Read replicas

None. The service has one \`DATABASE_URL\`: a list read from a replica could miss what was just added. A core of PostgreSQL
carries ${pagesPerCore(suites)} list pages a second, so reads do not fill a server before checks do. Replicas are for failover, and
for your own reports.

## Partitioning

None of the tables is partitioned. Claims read an index of due names, so their cost follows the names that are due, and
hardly the size of the table:

${claimLines(suites)}

What grows with time and not with names, events and history, is deleted by retention ([database.md](database.md)).

## Connections

What a process opens at most with the default \`DATABASE_POOL\` ([configuration.md](configuration.md#connections-to-postgresql)):

${connectionTable()}

Ten processes of separate roles open ${connectionsOf(10)} at most on Redis: set \`max_connections\` above the sum, or lower \`DATABASE_POOL\`.
`;
}

function registryLimits(): string {
  const { perSecond = 0 } = BUILT_IN_OPERATORS['verisign'] ?? {};
  return `The rate limits of registries are reached long before a machine is full: with the built-in ones an installation asks Verisign
${perSecond} times a second, which is ${toText(perSecond * SECONDS_PER_DAY)} .com names a day. Only what an operator agrees to changes that;
\`LOOKUP_BUDGETS_FILE\` then raises its limit ([budgets.md](budgets.md)).`;
}

function simulations(suites: readonly MeasuredSuite[]): string {
  const commands = [
    '--names 1e6 --workers 1 --interval-hours 24',
    '--names 100e6 --workers 8 --interval-hours 24 --limits none',
    '--names 100e6 --workers 8 --interval-hours 24',
  ];
  const blocks = commands.map(
    (options) =>
      `\`\`\`bash\nnpm run -s simulate -- ${options}\n\`\`\`\n\n\`\`\`text\n${simulationText(options.split(' '), suites)}\n\`\`\``,
  );
  return blocks.join('\n\n');
}

function claimCost(suites: readonly MeasuredSuite[]): string {
  return toText(suites.find(({ suite }) => suite === 'claims')?.figures.at(-1)?.ours ?? NaN);
}

function claimLines(suites: readonly MeasuredSuite[]): string {
  const figures = suites.find(({ suite }) => suite === 'claims')?.figures ?? [];
  const lines = figures.map(({ what, ours, unit, ratio }) => {
    const against = ratio === null ? '' : `, ${toText(ratio)} times that of the smallest table`;
    return `- ${what.replace(/\d{4,}/, (size) => toText(Number(size)))} names: ${toText(ours)} ${unit} for 10 000 names${against}`;
  });
  return lines.join('\n');
}

function pagesPerCore(suites: readonly MeasuredSuite[]): string {
  return toText(1e6 / besides(findFigure(suites, 'costs', 'a list page of 20'), 'µs of PostgreSQL'));
}
