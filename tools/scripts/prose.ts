import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeComments, judgeProse } from './prose/judge-prose.js';

/**
 * `npm run -s script -- prose [files]`: lists sentences of the documentation and of comments in src, or of the named
 * files, that are hard to read. Exits with 1 if there are any.
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
const sources = filesIn('src', '.ts');
const only = process.argv.slice(2);

const lines = (only.length > 0 ? only : [...pages, ...sources]).flatMap((file) => {
  const judge = file.endsWith('.md') ? judgeProse : judgeComments;
  return judge(readFileSync(join(ROOT, file), 'utf8')).map(
    ({ line, rule, sentence }) => `${file}:${line}: ${rule}: ${sentence}`,
  );
});
for (const line of lines) console.log(line);
if (lines.length > 0) process.exitCode = 1;

/** Returns the pages in a folder and its subfolders, except records of decisions, which stay as they were written. */
function pagesIn(folder: string): string[] {
  return filesIn(folder, '.md').filter((name) => !/\/(?:decisions|node_modules)\//.test(name));
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}
