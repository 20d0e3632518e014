import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataStorage } from 'class-validator';
import { Environment, SECRETS } from '../../../src/config/environment.js';
import { tableRows } from '../../support/documents/markdown.js';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Every setting, whether it has a default or not. */
const SETTINGS = new Set(
  getMetadataStorage()
    .getTargetValidationMetadatas(Environment, '', true, false)
    .map(({ propertyName }) => propertyName),
);
const NAME = /^`([A-Z][A-Z0-9_]*)`$/;

/** Default and meaning by name. */
function documented(markdown: string): Map<string, { standard: string; meaning: string }> {
  const rows = tableRows(markdown).flatMap(([cell = '', standard = '', meaning = '']) => {
    const name = NAME.exec(cell)?.[1];
    return name === undefined ? [] : [[name, { standard, meaning }] as const];
  });
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
  return new Map(rows);
}

function inWords(value: Environment[keyof Environment]): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return `\`${String(value)}\``;
}

describe('docs/configuration.md', () => {
  const settings = documented(read('docs/configuration.md'));

  it('has every setting, and none that does not exist', () => {
    expect(SETTINGS.size).toBeGreaterThan(40);
    expect([...settings.keys()].sort()).toEqual([...SETTINGS].sort());
  });

  it('has the actual defaults', () => {
    const defaults = new Environment();
    for (const [name, { standard }] of settings)
      expect([name, standard]).toEqual([name, inWords(defaults[name as keyof Environment])]);
  });

  it('says of each what it means, and which may come from files', () => {
    for (const { meaning } of settings.values()) expect(meaning.length).toBeGreaterThan(5);
    const fromFiles = [...settings].filter(([, { meaning }]) => meaning.startsWith('**file**')).map(([name]) => name);
    expect(fromFiles.sort()).toEqual([...SECRETS].sort());
  });
});

it.each(['README.md', '.env.example'])('%s names no setting that does not exist', (path) => {
  const words = [...read(path).matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g)].map(([word]) => word);
  // A reader's own, and those of Compose.
  const passwords = ['POSTGRES_PASSWORD', 'DATABASE_OWNER_PASSWORD', 'DATABASE_PASSWORD', 'REDIS_PASSWORD'];
  const others = ['WEBHOOK_SECRET', ...passwords];
  expect(words.length).toBeGreaterThan(2);
  expect(words.filter((word) => !SETTINGS.has(word) && !others.includes(word))).toEqual([]);
});
