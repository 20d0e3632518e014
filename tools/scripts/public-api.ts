import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diff, parseArgs } from 'node:util';
import { type Entry, ENTRIES } from './public-api/emit.js';
import { extractPublicApi } from './public-api/extract.js';

/**
 * `npm run -s script -- public-api [--check]`: writes the public API of `namewatch` and `namewatch/testing` to
 * api/*.md. With `--check` it compares instead, prints the differences and exits with 1. With `--declarations` it
 * writes the published declarations to dist; `npm run package` does both.
 */
const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, declarations: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '../..');
if (process.env['npm_command'] === 'publish') {
  console.error('npm run release makes the package that is published: npm publish <its tarball>');
  process.exit(1);
}
const { reports, declarations } = extractPublicApi(root);
if (values.declarations) {
  for (const entry of ENTRIES) writeFileSync(join(root, `dist/${entry}.d.ts`), declarations[entry]);
  // These entries only re-export other packages, so their source is also their declaration.
  for (const entry of ['nest', 'mikro-orm'])
    copyFileSync(join(root, `src/${entry}.ts`), join(root, `dist/${entry}.d.ts`));
}
if (values.check) check();
else if (!values.declarations) writeReports();

function check(): void {
  const changes = compareReports();
  if (changes.length === 0) return;
  console.error(
    ['The public surface has changed. If that is meant: npm run -s script -- public-api', ...changes].join('\n'),
  );
  process.exitCode = 1;
}

/** Returns the lines that differ from the committed reports; `kit.ts: + …` is a new line. */
function compareReports(): string[] {
  return ENTRIES.flatMap((entry) => {
    const path = reportFile(entry);
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const lines = diff(committed.split('\n'), reports[entry].split('\n'));
    return lines.filter(([side]) => side !== 0).map(([side, line]) => `${entry}.ts: ${side < 0 ? '+' : '-'} ${line}`);
  });
}

function writeReports(): void {
  for (const entry of ENTRIES) {
    mkdirSync(dirname(reportFile(entry)), { recursive: true });
    writeFileSync(reportFile(entry), reports[entry]);
  }
}

function reportFile(entry: Entry): string {
  return join(root, entry === 'kit' ? 'api/namewatch.api.md' : 'api/testing.api.md');
}
