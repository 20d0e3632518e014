import { runCorpus } from './corpus/run-corpus.js';

/**
 * `npm run -s corpus -- <folder or file> [--json] [--misses]`: measures the parsers on real registry answers with known
 * verdicts: a folder of them, or the file that `namewatch doctor --registries` wrote. Exits with 1 when an answer was
 * wrongly called available, with 2 when the corpus is invalid.
 */
process.exitCode = runCorpus(process.argv.slice(2));
