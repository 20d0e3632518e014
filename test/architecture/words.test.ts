import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPrivateWords } from './private-words.js';

const ROOT = join(import.meta.dirname, '../..');
/** The list itself, and the tests of it. */
const LIST = ['test/architecture/private-words.ts', 'test/architecture/words.test.ts'];
/** How many are left in folders that are not clean yet. It may only shrink. */
const ALLOWED: Readonly<Record<string, number>> = {
  'README.md': 9,
  'bench/checks': 4,
  'bench/claims': 8,
  'bench/contest.ts': 1,
  'bench/deliveries': 3,
  'bench/import': 10,
  'bench/lag': 21,
  'bench/memory': 7,
  'bench/neighbours': 1,
  'bench/watch': 20,
  'clients/typescript': 1,
  'docs/api-document.md': 2,
  'docs/budgets.md': 8,
  'docs/configuration.md': 17,
  'docs/operations.md': 4,
  'docs/outages.md': 1,
  'docs/watching.md': 29,
  'examples/demo': 23,
  'examples/receivers': 3,
  'faults/mutants': 7,
  'faults/preload': 3,
  'faults/scenario': 5,
  'scripts/lock-check.mjs': 2,
  'scripts/openapi': 3,
  'src/app': 5,
  'src/cli': 33,
  'src/config': 7,
  'src/domains': 197,
  'src/migrations': 36,
  'src/openapi': 7,
  'src/process': 19,
  'src/watchlist': 468,
  'test/architecture': 22,
  'test/e2e': 134,
  'test/integration': 395,
  'test/unit': 364,
};

const isText = (path: string) => /\.(ts|mts|mjs|cjs|js|md|py)$|^\.ci\//.test(path);
const isOurs = (path: string) => !path.includes('/generated/') && !path.includes('/corpus/') && !LIST.includes(path);

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\n').filter((path) => isText(path) && isOurs(path) && existsSync(join(ROOT, path)));
}

/** `src/domains/domain/name/x.ts` is in `src/domains`. */
const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');

describe('the word list', () => {
  it('has no private word in code, comments, tests and docs', () => {
    const found = trackedFiles().flatMap((path) =>
      findPrivateWords(readFileSync(join(ROOT, path), 'utf8')).map(({ word, line }) => ({
        folder: folderOf(path),
        text: `${path}:${line}: ${word}`,
      })),
    );
    const byFolder = [...Map.groupBy(found, ({ folder }) => folder)];
    const tooMany = byFolder.filter(([folder, { length }]) => length > (ALLOWED[folder] ?? 0));
    expect(tooMany.flatMap(([, all]) => all.map(({ text }) => text))).toEqual([]);
  });

  it.each([
    ['a word of a sentence', '// nobody waits for it'],
    ['a part of an identifier', 'const toldRegistry = 1;'],
    ['a constant', 'const PATIENCE_MS = 1;'],
    ['a file name', "import './shared-looks.js';"],
    ['a look in place of a lookup', "it('records a look', () => undefined);"],
    ['names that are looked at', '/** Names that are looked at daily. */'],
  ])('finds %s', (_what, text) => {
    expect(findPrivateWords(text)).toHaveLength(1);
  });

  it.each(['const lookup = lookUp(name);', '// looks up a name', '// what a response looks like'])(
    'accepts %s',
    (text) => {
      expect(findPrivateWords(text)).toEqual([]);
    },
  );
});
