import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure, Suite } from './suite.js';

/** `npm run bench [-- <suite>…] [--json]`: each suite against its own baseline, in the same run. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    sizes: { type: 'string' }, // such as 10000,10000000
  },
});
const plan = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  sizes: values.sizes?.split(',').map(Number) ?? null,
};
if (plan.sizes?.some((size) => !(size >= 10_000))) {
  console.error('--sizes are numbers of names, 10000 at least, with commas between them');
  process.exit(2);
}
const names = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`there is no suite ${unknown}; there are: ${names.join(', ')}`);
  process.exit(2);
}
// Suites run the built service and import parts of it: a clone that was never started has none.
execFileSync(process.execPath, [join(import.meta.dirname, '../bin/build.mjs')], { stdio: 'inherit' });
for (const name of positionals.length > 0 ? positionals : names) {
  const { suite } = (await import(join(import.meta.dirname, name, `${name}.ts`))) as { suite: Suite };
  if (!values.json) console.log(`${suite.name}: ${suite.about}`);
  for (const figure of await suite.measure(plan))
    console.log(values.json ? JSON.stringify({ suite: suite.name, ...figure }) : line(figure));
}

function line({ what, unit, ours, baseline, ratio, besides }: Figure): string {
  const against = baseline === null ? '' : ` against ${baseline}: ratio ${ratio}`;
  const more = Object.entries(besides).map(([name, value]) => `, ${name} ${value}`);
  return `  ${what}: ${ours} ${unit}${against}${more.join('')}`;
}
