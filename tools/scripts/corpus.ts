import { runCorpus } from './corpus/run-corpus.js';

/**
 * `npm run -s corpus -- <folder or file> [--json] [--misses]`: measures the parsers on real answers of registries whose
 * right results are known. They are in a folder, or in a file of `namewatch doctor --registries`. Exits with 1 if an
 * answer was wrongly called available, with 2 if the corpus is invalid.
 */
process.exitCode = runCorpus(process.argv.slice(2));
