import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeProse } from './prose/judge-prose.js';

/**
 * `npm run -s script -- prose [pages]`: lists the sentences of the documentation that one reads twice, or of the
 * pages that it names. Exits with 1 if there are any.
 */

const ROOT = join(import.meta.dirname, '..');
const pages = [
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const only = process.argv.slice(2);

const lines = (only.length > 0 ? only : pages).flatMap((page) =>
  judgeProse(readFileSync(join(ROOT, page), 'utf8')).map(
    ({ line, rule, sentence }) => `${page}:${line}: ${rule}: ${sentence}`,
  ),
);
for (const line of lines) console.log(line);
if (lines.length > 0) process.exitCode = 1;
