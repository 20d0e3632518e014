import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ESLint, type Linter } from '../../tools/eslint.js';

/** Linted in place of a file that is there. */
const DOMAIN = 'src/domains/domain/lookup/lookup-result.ts';
const SOURCE = 'src/kernel/identifier.ts';
const TEST = 'test/support/eventually.ts';

const linter = new ESLint();

async function refusals(file: string, code: string): Promise<(string | null)[]> {
  const [result] = await linter.lintText(code, { filePath: file });
  return [...new Set(result?.messages.map((message: Linter.LintMessage) => message.ruleId))];
}

const database = 'declare const db: { query(sql: unknown): void };\ndeclare const name: string;\n';

describe('the linter refuses', () => {
  it.each([
    ['any', '@typescript-eslint/no-explicit-any', SOURCE, 'export const answer: any = 1;'],
    [
      'a non-null assertion',
      '@typescript-eslint/no-non-null-assertion',
      SOURCE,
      'export const first = (names: string[]) => names[0]!.length;',
    ],
    [
      'a value import that serves as a type only',
      '@typescript-eslint/consistent-type-imports',
      SOURCE,
      "import { Clock } from './clock.js';\nexport const read = (clock: Clock) => clock.now();",
    ],
    ['loose equality', 'eqeqeq', SOURCE, 'export const same = (a: string, b: string) => a == b;'],
    ['let for what never changes', 'prefer-const', SOURCE, 'let limit = 1;\nexport const twice = limit * 2;'],
    ['a file of more than 400 lines', 'max-lines', SOURCE, '// one line\n'.repeat(401)],
    ['a test of more than 400 lines', 'max-lines', TEST, '// one line\n'.repeat(401)],
    ['a default export', 'house/no-default-export', SOURCE, 'export default 1;'],
    [
      'a default export by another name',
      'house/no-default-export',
      SOURCE,
      'const one = 1;\nexport { one as default };',
    ],
    ['an enum', 'house/no-enum', SOURCE, "export enum Role { Api = 'api' }"],
    ['a printed line in the service', 'no-console', SOURCE, "console.log('ready');"],
    ['the environment, read directly', 'house/no-process-env', SOURCE, "export const host = process.env['HOST'];"],
    [
      'the environment, taken apart',
      'house/no-process-env',
      SOURCE,
      'const { env } = process;\nexport const all = env;',
    ],
    [
      'the environment, imported',
      'house/no-process-env',
      SOURCE,
      "import { env } from 'node:process';\nexport const all = env;",
    ],
    ['the time of day in a domain', 'house/no-ambient-time', DOMAIN, 'export const now = new Date();'],
    ['the millisecond in a domain', 'house/no-ambient-time', DOMAIN, 'export const now = Date.now();'],
    ['SQL with a value written into it', 'house/no-built-sql', SOURCE, `${database}db.query(\`select '\${name}'\`);`],
    ['SQL put together with plus', 'house/no-built-sql', SOURCE, `${database}db.query('select ' + name);`],
    [
      'rows sorted by a number that is selected as text',
      'house/no-text-order',
      SOURCE,
      'export const text = `select xid::text, seq from events order by account_id, xid limit $1`;',
    ],
    [
      'rows sorted by an expression under the name of its column',
      'house/no-text-order',
      SOURCE,
      "export const text = 'select distinct on (tld) lower(n.tld) as tld from names n';",
    ],
    ['a statement put together', 'house/no-built-sql', SOURCE, `${database}db.query({ text: \`select \${name}\` });`],
  ])('%s', async (_what, rule, file, code) => {
    expect(await refusals(file, code)).toEqual([rule]);
  });
});

describe('the linter lets pass', () => {
  it.each([
    [
      'a class that a decorated constructor injects, imported as a value',
      SOURCE,
      "import { Injectable } from '@nestjs/common';\nimport { Clock } from './clock.js';\n" +
        '@Injectable()\nexport class Watch { constructor(readonly clock: Clock) {} }',
    ],
    ['the environment in config.ts', 'src/config/config.ts', "export const host = process.env['HOST'];"],
    ['the environment in a test', TEST, "export const host = process.env['HOST'];"],
    ['a given instant in a domain', DOMAIN, 'export const later = (at: Date) => new Date(at.getTime() + 1);'],
    [
      'rows sorted by the column itself, selected as text',
      SOURCE,
      'export const text = `select e.xid::text, count(*) as seq from events e order by e.xid, domain, seq limit $1`;',
    ],
    ['SQL with bound values', SOURCE, `${database}db.query({ text: 'select $1', values: [name] });`],
  ])('%s', async (_what, file, code) => {
    expect(await refusals(file, code)).toEqual([]);
  });

  it.each(['src/cli', 'src/process'])('lines printed by %s', async (folder) => {
    const { rules } = (await linter.calculateConfigForFile(`${folder}/any.ts`)) as Linter.Config;
    expect(rules?.['no-console']).toEqual([0, {}]);
  });
});

describe('the linter that knows types', () => {
  const root = join(import.meta.dirname, '../..');
  const lookup = 'declare function lookup(): Promise<void>;\n';
  const planted: readonly (readonly [what: string, rule: string | null, code: string])[] = [
    ['refuses a promise that is not awaited', 'no-floating-promises', `${lookup}lookup();`],
    [
      'refuses a promise where a condition is meant',
      'no-misused-promises',
      `${lookup}if (lookup()) throw new Error();`,
    ],
    [
      'refuses a switch that forgets a case',
      'switch-exhaustiveness-check',
      "export function due(role: 'api' | 'worker') { switch (role) { case 'api': return 1; } return 2; }",
    ],
    [
      'refuses what is returned from a try without await',
      'return-await',
      `${lookup}export async function ask() { try { return lookup(); } catch { await lookup(); } }`,
    ],
    [
      'refuses to write any into a type',
      'no-unsafe-assignment',
      "export const answer: { status: string } = JSON.parse('{}');",
    ],
    ['lets an awaited promise pass', null, `${lookup}await lookup();`],
  ];
  let folder: string;
  let found: { readonly filename: string; readonly code: string }[];

  /** All files at once, with types of their own: beside the sources other checks would find them. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lint-'));
    const compilerOptions = { target: 'es2024', module: 'esnext', strict: true, types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    for (const [i, [, , code]] of planted.entries())
      writeFileSync(join(folder, `planted-${i}.ts`), `${code}\nexport {};\n`);
    const words = ['-c', join(root, '.oxlintrc.json'), '--format=json', '.'];
    const programs = join(root, 'tools/node_modules/.bin');
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` }; // where it finds the part that knows types
    const { stdout } = spawnSync(join(programs, 'oxlint'), words, { cwd: folder, env, encoding: 'utf8' });
    ({ diagnostics: found } = JSON.parse(stdout) as { diagnostics: typeof found });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(planted.map(([what, rule], i) => [what, rule, `planted-${i}.ts`] as const))('%s', (_what, rule, file) => {
    const rules = found.filter(({ filename }) => filename.endsWith(file)).map(({ code }) => code);
    expect(rules).toEqual(rule === null ? [] : [`typescript(${rule})`]);
  });
});
