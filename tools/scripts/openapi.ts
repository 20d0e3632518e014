import { parseArgs } from 'node:util';
import { breakingChanges } from './openapi/breaking-changes.js';
import { type Generated, differences, generated, committedDocument, write } from './openapi/generated.js';

/**
 * `npm run -s openapi [-- --check | --breaking]`: writes every file that is made from the code. These are openapi.json,
 * docs/problems.md, docs/events.md, the TypeScript client, the schema of watchlist files, and tables in
 * docs/configuration.md, docs/watching.md and docs/budgets.md. Refuses changes that break programs written for the
 * committed openapi.json, unless `--breaking` allows them. `--check` writes nothing. Exits with 1 for breaking changes
 * or outdated files, with 2 for wrong usage.
 */
const { values } = options();
const files = await generated();
const breaks = breakingChanges(committedDocument(), files.document);
if (breaks.length > 0 && !values.breaking) {
  console.error(`Programs written for the committed openapi.json would break:\n${lines(breaks)}`);
  console.error('Nothing was written. If that is meant: npm run -s openapi -- --breaking');
  process.exitCode = 1;
} else if (values.check) check(files);
else console.log(lines(write(files)) || 'nothing has changed');

function check(found: Generated): void {
  const stale = differences(found);
  if (stale.length > 0) console.error(`Not as the API is now; run npm run -s openapi:\n${lines(stale)}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}

function options() {
  try {
    return parseArgs({
      options: { check: { type: 'boolean', default: false }, breaking: { type: 'boolean', default: false } },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}
