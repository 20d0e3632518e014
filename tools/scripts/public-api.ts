import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareReports, writeReports } from './public-api/compare.js';
import { ENTRIES } from './public-api/emit.js';
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
else if (!values.declarations) writeReports(root, reports);

function check(): void {
  const changes = compareReports(root, reports);
  if (changes.length === 0) return;
  console.error(
    ['The public surface has changed. If that is meant: npm run -s script -- public-api', ...changes].join('\n'),
  );
  process.exitCode = 1;
}
