import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import {
  cruise,
  extractTSConfig,
  type IConfiguration,
  type ICruiseResult,
  type IViolation,
} from '../../tools/dependency-cruiser.js';
import { PLANTED, type PlantedTree } from './planted.js';

const ROOT = join(import.meta.dirname, '../..');
/** Planted files find the packages of the project as the project does. */
const planted = mkdtempSync(join(tmpdir(), 'namewatch-planted-'));
for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(planted, name));
afterAll(() => rmSync(planted, { recursive: true }));

const { forbidden = [], options } = createRequire(import.meta.url)('./rules.cjs') as IConfiguration;
/** Makes `namewatch` an alias, here as in the command. */
const tsConfig = extractTSConfig(join(ROOT, 'tsconfig.json'));
const rules = forbidden.map((rule) => rule.name ?? 'unnamed');

/** Leaves the service alone, which planted trees name by the alias. */
const withoutService = { doNotFollow: { path: '(^|/)node_modules/|^\\.\\./' } };

async function violationsIn(baseDir: string, ...paths: string[]): Promise<IViolation[]> {
  const { output } = await cruise(
    paths,
    { ...options, ...(baseDir === ROOT ? {} : withoutService), baseDir, validate: true, ruleSet: { forbidden } },
    {},
    { tsConfig },
  );
  const { violations, totalCruised } = (output as ICruiseResult).summary;
  if (totalCruised === 0) throw new Error(`nothing to cruise in ${baseDir}`);
  return violations;
}

/** Writes the files of a tree. @returns its folder */
function plant(rule: string, { breaks, keeps, packages = {} }: PlantedTree): string {
  const tree = join(planted, rule);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  const files = { ...breaks, ...keeps };
  for (const path of Object.values(files).flat().map(targetOf).filter(isFile)) write(path, NOTHING_IMPORTED);
  for (const [path, imports] of Object.entries(files))
    write(path, imports.map((each) => importStatement(path, each)).join('\n') || NOTHING_IMPORTED);
  for (const [folder, declared] of Object.entries(packages)) {
    const lists = Object.entries(declared).map(([kind, names]) => [
      kind,
      Object.fromEntries(names.map((name) => [name, '*'])),
    ]);
    write(`${folder}/package.json`, JSON.stringify(Object.fromEntries(lists)));
  }
  return tree;
}

const NOTHING_IMPORTED = 'export const it = 1;';
const targetOf = (each: string) => each.replace(/^type /, '');
const isFile = (target: string) => target.endsWith('.ts');

function importStatement(path: string, each: string): string {
  const target = targetOf(each);
  const specifier = isFile(target) ? `./${relative(dirname(path), target).replace(/ts$/, 'js')}` : target;
  return `export ${each.replace(target, '')}* from '${specifier}';`; // an import that nothing uses would not be compiled
}

/** A cycle is reported once, from one of its files. */
const filesOf = ({ from, cycle }: IViolation) => [from, ...(cycle ?? []).map(({ name }) => name)];
const distinct = (names: string[]) => [...new Set(names)].sort();

// Each cruise reads and resolves every file again.
jest.setTimeout(180_000);

describe('the import rules', () => {
  it('are followed by the whole service and by the examples', async () => {
    const violations = await violationsIn(ROOT, 'src', 'examples', 'mikro-orm.config.ts');
    expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });

  it('each have example files that break the rule', () => {
    expect(Object.keys(PLANTED).sort()).toEqual([...rules].sort());
  });

  it.each(Object.entries(PLANTED))('report exactly the example files that break this rule: %s', async (rule, files) => {
    const tree = plant(rule, files);
    const violations = await violationsIn(tree, ...readdirSync(tree).filter((name) => /^(src|examples)$/.test(name)));
    expect(distinct(violations.map((violation) => violation.rule.name))).toEqual([rule]);
    expect(distinct(violations.flatMap(filesOf))).toEqual(Object.keys(files.breaks).sort());
  });
});
