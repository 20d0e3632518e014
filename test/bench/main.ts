import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeCommit, describeMachine, machineText } from './machine.js';
import type { Figure, RunOptions } from './suite.js';
import { runSuite } from './suite-process.js';

/**
 * `npm run bench [-- <suite>…|all] [--rounds 3] [--seconds 3] [--sizes 10000,1000000] [--json]`: each suite against its
 * own baseline, in the same run. See docs/performance.md.
 */
const names = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, `${entry.name}.ts`)) ? [entry.name] : [],
);
const options = readOptions();
// Suites run the built service and import some of its parts: a clone that was never started has none.
execFileSync(process.execPath, [join(import.meta.dirname, '../../bin/build.mjs')], {
  stdio: ['ignore', process.stderr, 'inherit'],
});
const [machine, commit] = [describeMachine(), describeCommit()];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

if (options.json) console.log(JSON.stringify({ machine, commit, measuredAt: new Date().toISOString() }));
else console.log(`commit ${commit} on ${machineText(machine)}`);
let failed = 0;
for (const name of options.suites) {
  if (stop.signal.aborted) break;
  await measure(name);
}
process.exit(failed > 0 || stop.signal.aborted ? 1 : 0);

/** Later suites are measured also when this one fails. */
async function measure(name: string): Promise<void> {
  const onStarted = (about: string) => !options.json && console.log(`${name}: ${about}`);
  const { plan, limitSeconds } = options;
  try {
    const run = await runSuite(`${name}/${name}.ts`, { plan, limitSeconds, onStarted, signal: stop.signal });
    for (const figure of run.figures)
      console.log(options.json ? JSON.stringify({ suite: name, ...figure }) : line(figure));
    if (!options.json) console.log(`  (${run.seconds} s)`);
  } catch (error) {
    failed += 1;
    const { message } = error as Error;
    console.error(message);
    if (options.json) console.log(JSON.stringify({ suite: name, error: message }));
  }
}

function readOptions() {
  const { values, positionals } = parse();
  const unknown = positionals.find((suite) => suite !== 'all' && !names.includes(suite));
  if (unknown !== undefined) refuse(`there is no suite ${unknown}; there are: all, ${names.join(', ')}`);
  const isAll = positionals.length === 0 || positionals.includes('all');
  const plan: RunOptions = {
    rounds: wholeNumber('rounds', values.rounds),
    seconds: wholeNumber('seconds', values.seconds),
    sizes: values.sizes?.split(',').map((size) => wholeNumber('sizes', size)) ?? null,
    keep: values.keep === undefined ? null : resolve(values.keep),
  };
  const limitSeconds = values.limit === undefined ? null : wholeNumber('limit', values.limit);
  return { suites: isAll ? names : [...new Set(positionals)], plan, json: values.json, limitSeconds };
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '3' },
        sizes: { type: 'string' },
        keep: { type: 'string' },
        limit: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function wholeNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  return refuse(`--${option} takes whole numbers from 1, not "${text}"`);
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}

function line({ what, unit, ours, baseline, ratio, besides }: Figure): string {
  const against = baseline === null ? '' : ` against ${baseline}: ratio ${ratio}`;
  const more = Object.entries(besides).map(([name, value]) => `, ${name} ${value}`);
  return `  ${what}: ${ours} ${unit}${against}${more.join('')}`;
}
