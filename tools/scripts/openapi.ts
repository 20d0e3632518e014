import { parseArgs } from 'node:util';
import { breakingChanges } from './openapi/breaking-changes.js';
import { type Generated, differences, generated, committedDocument, write } from './openapi/generated.js';

/**
 * `npm run -s openapi [-- --check | --breaking]`: writes openapi.json, docs/problems.md, docs/events.md and the TypeScript
 * client, all made from the routes and the catalogue of errors, the schema of watchlist files, and the tables of settings,
 * release rules and operators in docs/configuration.md, docs/watching.md and docs/budgets.md. It refuses a document that
 * would break a program which was written for the committed one, unless that is said to be meant. With `--check` nothing is written. Exits with 1 for a
 * document that breaks programs or is not what is committed, with 2 for a wrong usage.
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
