import { parseArgs } from 'node:util';
import { contest, type Plan } from './contest.js';
import { list } from './list/list.js';
import type { Suite } from './suite.js';

/** `npm run bench [-- <suite>] [--json]`: each suite against its own baseline, in the same run. */
const SUITES: readonly Suite[] = [list];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const plan: Plan = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
const wanted = SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (wanted.length === 0) {
  console.error(`no such suite; there are: ${SUITES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
for (const suite of wanted) {
  const result = await contest(suite, plan);
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`${suite.name}: ${suite.about}`);
    console.log(`  ours      ${result.figure} ${result.unit}`);
    console.log(`  baseline  ${result.baseline} ${result.unit}`);
    console.log(`  ratio     ${result.ratio} (p99 ${result.p99_ratio}), median of ${result.rounds} rounds`);
  }
}
