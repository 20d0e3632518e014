import { parseArgs } from 'node:util';
import { InvalidCorpusError, readEntries } from './entry.js';
import { type Judgement, judgeEntry } from './judge-entry.js';
import { computeFigures, formatJson, formatReport } from './report.js';

/** Measures the parsers on the corpus in the arguments, and prints the figures. @returns the exit code */
export function runCorpus(args: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, misses: { type: 'boolean', default: false } },
  });
  const [folder] = positionals;
  if (folder === undefined) {
    console.error(
      'usage: npm run -s corpus -- <folder with index.jsonl, or file of doctor --registries> [--json] [--misses]',
    );
    return 2;
  }
  try {
    const judgements: Judgement[] = readEntries(folder).map((entry) => judgeEntry(folder, entry));
    console.log(values.json ? formatJson(judgements) : formatReport(judgements, values.misses));
    return computeFigures(judgements).falseAvailable > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof InvalidCorpusError)) throw error;
    console.error(error.message);
    return 2;
  }
}
