import { parseArgs } from 'node:util';
import { CorpusBroken, entriesOf } from './corpus/entry.js';
import { type Judgement, judge } from './corpus/judge.js';
import { figuresOf, jsonOf, reportOf } from './corpus/report.js';

/**
 * `npm run -s corpus -- <folder> [--json] [--misses]`: measures the classifiers on a folder of real registry answers
 * with their verdicts. Exits with 1 when a single answer was called available that is not, with 2 when the set is broken.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, misses: { type: 'boolean', default: false } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('usage: npm run -s corpus -- <folder with index.jsonl> [--json] [--misses]');
  process.exit(2);
}
const judgements = measured(folder);
console.log(values.json ? jsonOf(judgements) : reportOf(judgements, values.misses));
process.exitCode = figuresOf(judgements).falseAvailable > 0 ? 1 : 0;

function measured(folder: string): Judgement[] {
  try {
    return entriesOf(folder).map((entry) => judge(folder, entry));
  } catch (error) {
    if (!(error instanceof CorpusBroken)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
