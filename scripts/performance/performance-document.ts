import type { MeasuredSuite } from '../../bench/figures-file.js';
import { machineText } from '../../bench/machine.js';
import { MEANINGS } from '../../bench/meanings.js';
import type { Figure } from '../../bench/suite.js';
import { toTable, toText } from './numbers.js';

const INTRODUCTION = `# Performance

Written by \`npm run -s performance\` from [bench/figures.json](../bench/figures.json): change nothing here by hand. Each suite
measures the service against a baseline on the same machine in alternating rounds, so that the ratio says more than the
figure: a ratio of 0.5 is half of the baseline. Where more is better (anything a second) a high ratio is good; where less is
better (milliseconds, seconds, memory, processor time) a low one is. Everything runs on one machine, the load and the fake
registries included, on loopback, with a PostgreSQL that does not wait for its disk.

To measure all suites on your machine, keep the figures and write this page again:

\`\`\`bash
npm ci && npm ci --prefix tools
npm run bench -- all --figures bench/figures.json   # --resume goes on after an interruption
npm run -s performance
\`\`\`

One suite is \`npm run bench -- list\`; \`--json\` prints one JSON object a line, \`--rounds\` and \`--seconds\` set how long it
measures, \`--sizes 10000,10000000\` how many names are watched. \`--keep <folder>\` keeps the seeded databases from run to run.
[scaling.md](scaling.md) says what follows for larger installations.`;

/** @returns docs/performance.md, whole */
export function toPerformanceDocument(suites: readonly MeasuredSuite[]): string {
  return `${[INTRODUCTION, ...suites.map(toSection)].join('\n\n')}\n`;
}

function toSection({ suite, about, command, commit, measuredAt, machine, figures }: MeasuredSuite): string {
  const meaning = MEANINGS[suite];
  return [
    `## ${suite}`,
    `Measures ${about}.`,
    ...(meaning === undefined ? [] : [meaning]),
    figureTable(figures),
    `\`${command}\` at commit \`${commit}\`, ${measuredAt.slice(0, 10)}, on ${machineText(machine)}.`,
  ].join('\n\n');
}

function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, unit, ours, baseline, ratio, besides }) => [
    what,
    `${toText(ours)} ${unit}`,
    baseline === null ? '–' : toText(baseline),
    ratio === null ? '–' : toText(ratio),
    Object.entries(besides)
      .map(([name, value]) => `${name} ${toText(value)}`)
      .join(', '),
  ]);
  const heading = ['what', 'measured', 'baseline', 'ratio', 'besides'];
  return toTable([heading, ...rows], [false, true, true, true, false]);
}
