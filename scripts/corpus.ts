import { parseArgs } from 'node:util';
import { InvalidCorpusError, readEntries } from './corpus/entry.js';
import { type Judgement, judgeEntry } from './corpus/judge-entry.js';
import { computeFigures, formatJson, formatReport } from './corpus/report.js';

/**
 * `npm run -s corpus -- <folder> [--json] [--misses]`: measures the parsers on a folder of real registry answers
 * with known verdicts. Exits with 1 when an answer was wrongly called available, with 2 when the corpus is invalid.
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
const judgements = measure(folder);
console.log(values.json ? formatJson(judgements) : formatReport(judgements, values.misses));
process.exitCode = computeFigures(judgements).falseAvailable > 0 ? 1 : 0;

function measure(folder: string): Judgement[] {
  try {
    return readEntries(folder).map((entry) => judgeEntry(folder, entry));
  } catch (error) {
    if (!(error instanceof InvalidCorpusError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
