import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const DOMAIN = 'src/domains/domain/lookup/';
const SOURCE = 'src/kernel/';
const TEST = 'test/support/';

const database = 'declare const db: { query(sql: unknown): void };\ndeclare const name: string;\n';
const lookup = 'declare function lookup(): Promise<void>;\n';

const refused: readonly (readonly [what: string, rule: string, folder: string, code: string])[] = [
  ['any', 'typescript(no-explicit-any)', SOURCE, 'export const answer: any = 1;'],
  [
    'a non-null assertion',
    'typescript(no-non-null-assertion)',
    SOURCE,
    'export const first = (names: string[]) => names[0]!.length;',
  ],
  [
    'a value import that serves as a type only',
    'house(type-imports)',
    SOURCE,
    "import { Clock } from './clock.js';\nexport const read = (clock: Clock) => clock.now();",
  ],
  ['loose equality', 'eslint(eqeqeq)', SOURCE, 'export const same = (a: string, b: string) => a == b;'],
  ['let for what never changes', 'eslint(prefer-const)', SOURCE, 'let limit = 1;\nexport const twice = limit * 2;'],
  ['a file of more than 400 lines', 'eslint(max-lines)', SOURCE, '// one line\n'.repeat(401)],
  ['a test of more than 400 lines', 'eslint(max-lines)', TEST, '// one line\n'.repeat(401)],
  ['a default export', 'house(no-default-export)', SOURCE, 'export default 1;'],
  [
    'a default export by another name',
    'house(no-default-export)',
    SOURCE,
    'const one = 1;\nexport { one as default };',
  ],
  ['an enum', 'house(no-enum)', SOURCE, "export enum Role { Api = 'api' }"],
  ['a printed line in the service', 'eslint(no-console)', SOURCE, "console.log('ready');"],
  ['the environment, read directly', 'house(no-process-env)', SOURCE, "export const host = process.env['HOST'];"],
  [
    'the environment, taken apart',
    'house(no-process-env)',
    SOURCE,
    'const { env } = process;\nexport const all = env;',
  ],
  [
    'the environment, imported',
    'house(no-process-env)',
    SOURCE,
    "import { env } from 'node:process';\nexport const all = env;",
  ],
  ['the time of day in a domain', 'house(no-ambient-time)', DOMAIN, 'export const now = new Date();'],
  ['the millisecond in a domain', 'house(no-ambient-time)', DOMAIN, 'export const now = Date.now();'],
  ['SQL with a value written into it', 'house(no-built-sql)', SOURCE, `${database}db.query(\`select '\${name}'\`);`],
  ['SQL put together with plus', 'house(no-built-sql)', SOURCE, `${database}db.query('select ' + name);`],
  ['a statement put together', 'house(no-built-sql)', SOURCE, `${database}db.query({ text: \`select \${name}\` });`],
  [
    'rows sorted by a number that is selected as text',
    'house(no-text-order)',
    SOURCE,
    'export const text = `select xid::text, seq from events order by account_id, xid limit $1`;',
  ],
  [
    'rows sorted by an expression under the name of its column',
    'house(no-text-order)',
    SOURCE,
    "export const text = 'select distinct on (tld) lower(n.tld) as tld from names n';",
  ],
  ['a promise that is not awaited', 'typescript(no-floating-promises)', SOURCE, `${lookup}lookup();`],
  [
    'a promise where a condition is meant',
    'typescript(no-misused-promises)',
    SOURCE,
    `${lookup}if (lookup()) throw new Error();`,
  ],
  [
    'a switch that forgets a case',
    'typescript(switch-exhaustiveness-check)',
    SOURCE,
    "export function due(role: 'api' | 'worker') { switch (role) { case 'api': return 1; } return 2; }",
  ],
  [
    'what is returned from a try without await',
    'typescript(return-await)',
    SOURCE,
    `${lookup}export async function ask() { try { return lookup(); } catch { await lookup(); } }`,
  ],
  [
    'any written into a type',
    'typescript(no-unsafe-assignment)',
    SOURCE,
    "export const answer: { status: string } = JSON.parse('{}');",
  ],
];

const passed: readonly (readonly [what: string, file: string, code: string])[] = [
  [
    'a class that a decorated constructor injects, imported as a value',
    'src/kernel/watch.ts',
    "import { Injectable } from './nest.js';\nimport { Clock } from './clock.js';\n" +
      '@Injectable()\nexport class Watch { constructor(readonly clock: Clock) {} }',
  ],
  ['the environment in config.ts', 'src/config/config.ts', "export const host = process.env['HOST'];"],
  ['the environment in a test', 'test/support/host.ts', "export const host = process.env['HOST'];"],
  [
    'a given instant in a domain',
    'src/domains/later.ts',
    'export const later = (at: Date) => new Date(at.getTime() + 1);',
  ],
  [
    'rows sorted by the column itself, selected as text',
    'src/kernel/rows.ts',
    'export const text = `select e.xid::text, count(*) as seq from events e order by e.xid, domain, seq limit $1`;',
  ],
  ['SQL with bound values', 'src/kernel/bound.ts', `${database}db.query({ text: 'select $1', values: [name] });`],
  ['lines printed by the command line', 'src/cli/any.ts', "console.log('ready');"],
  ['lines printed by a process', 'src/process/any.ts', "console.log('ready');"],
  ['an awaited promise', 'src/kernel/awaited.ts', `${lookup}await lookup();`],
];

/** Linted all at once in a folder of their own: beside the sources other checks would find them. */
describe('the linter', () => {
  const root = join(import.meta.dirname, '../..');
  const planted = refused.map(([what, rule, path, code], i) => [what, rule, `${path}planted-${i}.ts`, code] as const);
  const around = [
    ['src/kernel/clock.ts', 'export class Clock { now() { return 1; } }'],
    ['src/kernel/nest.ts', 'export const Injectable = () => (target: object) => void target;'],
  ] as const;
  let folder: string;
  let found: { readonly filename: string; readonly code: string }[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lint-'));
    const compilerOptions = {
      ...{
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        noUncheckedIndexedAccess: true,
        experimentalDecorators: true,
      },
      ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
    };
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write('package.json', '{ "type": "module" }');
    write('tsconfig.json', JSON.stringify({ compilerOptions }));
    for (const part of ['.oxlintrc.json', 'test/architecture/lint-rules.mjs'])
      cpSync(join(root, part), join(folder, part));
    for (const [path, code] of around) write(path, code);
    const asModule = (code: string) => (code.includes('export ') ? code : `${code}\nexport {};\n`);
    for (const [, path, code] of passed) write(path, asModule(code));
    for (const [, , path, code] of planted) write(path, asModule(code));
    const programs = join(root, 'tools/node_modules/.bin');
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` }; // where it finds the part that knows types
    const { stdout } = spawnSync(join(programs, 'oxlint'), ['--format=json'], { cwd: folder, env, encoding: 'utf8' });
    ({ diagnostics: found } = JSON.parse(stdout) as { diagnostics: typeof found });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const rulesOf = (file: string) => [
    ...new Set(found.filter(({ filename }) => filename.endsWith(file)).map(({ code }) => code)),
  ];

  it.each(planted)('refuses %s', (_what, rule, file) => {
    expect(rulesOf(file)).toEqual([rule]);
  });

  it.each(passed)('lets %s pass', (_what, file) => {
    expect(rulesOf(file)).toEqual([]);
  });
});
