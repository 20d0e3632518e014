import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { cruise, type IConfiguration, type ICruiseResult, type IViolation } from 'dependency-cruiser';

const ROOT = join(import.meta.dirname, '../..');
const PLANTED = join(import.meta.dirname, 'planted');
/** What a planted file says in its first line when it, and not a neighbour, is what the rule should find. */
const CULPRIT = '// Breaks the rule: ';

const { forbidden = [], options } = createRequire(import.meta.url)('./rules.cjs') as IConfiguration;
/** What makes `namewatch` an alias, here as in the command. */
const tsConfig = extractTSConfig(join(ROOT, 'tsconfig.json'));
const rules = forbidden.map((rule) => rule.name ?? 'unnamed');

/** What a planted tree names by the alias lies outside of it, in the service. */
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

function culpritsIn(tree: string): string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ entry, path }) => entry.isFile() && readFileSync(path, 'utf8').startsWith(CULPRIT))
    .map(({ path }) => relative(tree, path))
    .sort();
}

/** A cycle is reported once, from one of its files. */
const filesOf = ({ from, cycle }: IViolation) => [from, ...(cycle ?? []).map(({ name }) => name)];
const distinct = (names: string[]) => [...new Set(names)].sort();

// Each cruise reads and resolves every file again.
jest.setTimeout(60_000);

describe('the import rules', () => {
  it('hold in the whole service', async () => {
    const violations = await violationsIn(ROOT, 'src', 'examples', 'mikro-orm.config.ts');
    expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });

  it('have a planted violation each', () => {
    expect(readdirSync(PLANTED).sort()).toEqual([...rules].sort());
  });

  it.each(rules)('%s finds what breaks it, and nothing beside', async (rule) => {
    const tree = join(PLANTED, rule);
    const violations = await violationsIn(tree, ...readdirSync(tree).filter((name) => /^(src|examples)$/.test(name)));
    expect(distinct(violations.map((violation) => violation.rule.name))).toEqual([rule]);
    expect(distinct(violations.flatMap(filesOf))).toEqual(culpritsIn(tree));
  });
});
