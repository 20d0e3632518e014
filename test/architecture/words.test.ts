import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPrivateWords } from './private-words.js';

const ROOT = join(import.meta.dirname, '../..');
/** The list itself, and the tests of it. */
const LIST = ['test/architecture/private-words.ts', 'test/architecture/words.test.ts'];

const isText = (path: string) => /\.(ts|tsx|mts|mjs|cjs|js|md|py)$|^\.ci\//.test(path);
const isOurs = (path: string) => !path.includes('/generated/') && !path.includes('/corpus/') && !LIST.includes(path);

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\n').filter((path) => isText(path) && isOurs(path) && existsSync(join(ROOT, path)));
}

describe('the word list', () => {
  it('has no private word in code, comments, tests and docs', () => {
    const found = trackedFiles().flatMap((path) =>
      findPrivateWords(readFileSync(join(ROOT, path), 'utf8')).map(({ word, line }) => `${path}:${line}: ${word}`),
    );
    expect(found).toEqual([]);
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
