import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_OPERATORS, DEFAULT_BUDGET } from '../../../src/config/budgets.js';
import type { Setting } from '../../../src/config/setting-forms.js';
import { SETTING_TABLES } from '../../../src/config/settings.js';
import {
  type DeletionRule,
  GENERIC_TLD_RULE,
  RELEASE_RULES,
} from '../../../src/domains/domain/deletion/release-rules.js';
import { format } from '../../prettier.js';

const ROOT = join(import.meta.dirname, '../../..');
type Row = readonly string[];

/** Pages that people write. Their tables between `<!-- table: … -->` and `<!-- end -->` are made from the code. */
const PAGES: Readonly<Record<string, Readonly<Record<string, () => readonly Row[]>>>> = {
  'docs/configuration.md': Object.fromEntries(
    Object.entries(SETTING_TABLES).map(([table, settings]) => [table, () => settingRows(settings)]),
  ),
  'docs/watching.md': { 'release rules': releaseRuleRows },
  'docs/budgets.md': { operators: operatorRows },
};

/** @returns the pages, by their path in the project */
export async function pagesWithTables(): Promise<[path: string, text: string][]> {
  return Promise.all(
    Object.entries(PAGES).map(async ([path, tables]): Promise<[string, string]> => {
      let text = readFileSync(join(ROOT, path), 'utf8');
      for (const [name, rows] of Object.entries(tables)) text = withTable(text, name, rows());
      return [path, await format(text, { parser: 'markdown', printWidth: 120 })];
    }),
  );
}

function withTable(page: string, name: string, [head = [], ...rows]: readonly Row[]): string {
  const begin = `<!-- table: ${name} -->`;
  const [before = '', rest] = page.split(begin);
  const after = rest?.slice(rest.indexOf('<!-- end -->'));
  if (after === undefined || !after.startsWith('<!--')) throw new Error(`a page has no place for the table ${name}`);
  const lines = [
    head,
    head.map((_cell, column) => (rows.every((row) => isNumber(row[column])) ? '--:' : '---')),
    ...rows,
  ].map((cells) => `| ${cells.map(escapeBars).join(' | ')} |`);
  return [before, begin, '\n\n', lines.join('\n'), '\n\n', after].join('');
}

function isNumber(cell = ''): boolean {
  return /^\d[\d .,]*$/.test(cell);
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

function settingRows(settings: readonly Setting<unknown>[]): readonly Row[] {
  return [
    ['Name', 'Value', 'Default', 'Meaning', 'Differs by'],
    ...settings.map(({ name, form, default: standard, about, differs = '', isSecret }) => [
      `\`${name}\``,
      form.wanted,
      defaultText(standard),
      isSecret ? `**file** ${about}` : about,
      differs,
    ]),
  ];
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (typeof value === 'string' || typeof value === 'number') return `\`${value}\``;
  return Array.isArray(value) && value.length > 0 ? `\`${value.join()}\`` : '–';
}

function releaseRuleRows(): readonly Row[] {
  const tldsByRule = new Map<DeletionRule, string[]>([[GENERIC_TLD_RULE, ['generic']]]);
  for (const [tld, rule] of RELEASE_RULES) tldsByRule.set(rule, [...(tldsByRule.get(rule) ?? []), `.${tld}`]);
  const rows = [...tldsByRule].map(([rule, tlds]) => [
    tlds.join(' '),
    rule.operator,
    describeRule(rule),
    rule.confirmedIn === null ? 'no' : String(rule.confirmedIn),
  ]);
  return [['TLDs', 'operator', 'rule', 'confirmed'], ...rows];
}

function describeRule(rule: DeletionRule): string {
  switch (rule.kind) {
    case 'epp':
      return `grace ${rule.autoRenewDays} days after expiry, redemption ${rule.redemptionDays}, pending delete ${rule.pendingDeleteDays}`;
    case 'quarantine':
      return `${rule.days} days after the deletion`;
    case 'after_expiry':
      return `${rule.days} days after expiry${rule.isAuctioned ? ', or auctioned before' : ''}; restorable for ${rule.restorableDays}`;
  }
}

/** Lists the largest operators first, with the number of names that their rate limit allows in a day. */
function operatorRows(): readonly Row[] {
  const head = ['Operator', 'per second', 'burst', 'at a time', 'names a day', 'Published limit'];
  const operators = Object.entries(BUILT_IN_OPERATORS).map(([name, operator]) => ({
    name: `\`${name}\``,
    ...operator,
  }));
  const all = [...operators, { name: '**all others**', ...DEFAULT_BUDGET, about: 'one query a second' }];
  const rows = all
    .sort((one, other) => other.perSecond - one.perSecond)
    .map(({ name, perSecond, burst, concurrency, about }) => {
      const perDay = Math.floor(perSecond * 86_400).toLocaleString('en');
      return [name, String(perSecond), String(burst), String(concurrency), perDay, about ?? ''];
    });
  return [head, ...rows];
}
