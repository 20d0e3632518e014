import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeProse } from './prose/judge-prose.js';

/**
 * `npm run -s script -- prose [pages]`: lists the sentences of the documentation that one reads twice, or of the
 * pages that it names. Exits with 1 if there are any.
 */

const ROOT = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  '.github/SECURITY.md',
  ...pagesIn('docs'),
  ...pagesIn('examples'),
];
const only = process.argv.slice(2);

const lines = (only.length > 0 ? only : pages).flatMap((page) =>
  judgeProse(readFileSync(join(ROOT, page), 'utf8')).map(
    ({ line, rule, sentence }) => `${page}:${line}: ${rule}: ${sentence}`,
  ),
);
for (const line of lines) console.log(line);
if (lines.length > 0) process.exitCode = 1;

/** The pages of a folder and of the folders in it, but for records of decisions, which stay as they were written. */
function pagesIn(folder: string): string[] {
  const isPage = (name: string) => name.endsWith('.md') && !/(?:^|\/)(?:decisions|node_modules)\//.test(name);
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(isPage)
    .map((name) => join(folder, name));
}
