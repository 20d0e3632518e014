import { runCorpus } from './corpus/run-corpus.js';

/**
 * `npm run -s corpus -- <folder> [--json] [--misses]`: measures the parsers on a folder of real registry answers
 * with known verdicts. Exits with 1 when an answer was wrongly called available, with 2 when the corpus is invalid.
 */
process.exitCode = runCorpus(process.argv.slice(2));
