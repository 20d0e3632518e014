import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { distance } from 'fastest-levenshtein';
import type { Extension } from './extension.js';
import { findSettingNameProblems, isSettingsClass } from './extension-settings.js';
import { isScopeOf } from '../auth/language.js';
import { type ProblemKind, PROBLEMS } from '../platform/http/errors/problem-catalogue.js';

type Check = readonly [is: (value: unknown) => boolean, expectation: string];

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isRecord = (value: unknown) => isObject(value) && !Array.isArray(value);
/** Whether a value is a class. An arrow function has no prototype, so it does not count as a class. */
const isClass = (value: unknown) => typeof value === 'function' && isObject(value.prototype);
const isModule = (value: unknown) => isClass(value) || (isObject(value) && 'module' in value && isClass(value.module));
const isSchema = (value: unknown) => isClass(value) || isRecord(value);
const isMigration = (value: unknown) =>
  isObject(value) && 'name' in value && isText(value.name) && 'class' in value && isClass(value.class);

const isLink = (value: unknown) =>
  isObject(value) &&
  ['label', 'path'].every((member) => isText(Reflect.get(value, member))) &&
  ['undefined', 'string'].includes(typeof Reflect.get(value, 'scope'));

const list = (is: (value: unknown) => boolean, of: string): Check => [
  (value) => Array.isArray(value) && value.every(is),
  `an array of ${of}`,
];

/** The form of each member. Extensions in JavaScript need this check, because no compiler checks them. */
const MEMBERS: Readonly<Record<keyof Extension, Check>> = {
  name: [isText, 'a text'],
  compatibility: [isText, 'a text'],
  settings: [isSettingsClass, 'a class that extends extensionSettings({ … })'],
  module: [isModule, 'a Nest module'],
  controllers: list(isClass, 'classes'),
  links: list(isLink, 'objects with label, path and perhaps scope, which are texts'),
  lookupSources: list(isClass, 'classes'),
  channelSenders: list(isClass, 'classes'),
  planSource: [isClass, 'a class'],
  authenticators: list(isClass, 'classes'),
  subscribers: list(isClass, 'classes'),
  tasks: list(isClass, 'classes'),
  accountData: list(isClass, 'classes'),
  scopes: list(isText, 'texts'),
  problems: [isRecord, 'an object'],
  entities: list(isSchema, 'entity schemas'),
  migrations: list(isMigration, 'objects with name and class'),
};
const REQUIRED = ['name', 'compatibility'];
const NAMES = Object.keys(MEMBERS);
const MOST_TYPOS = 3;

/** Returns a sentence for each member that is missing, unknown or of the wrong type. */
export function findShapeProblems(extension: Extension): string[] {
  const subject = `the extension ${typeof extension.name === 'string' ? extension.name : '(without a name)'}`;
  const declared = new Map<string, unknown>(Object.entries(extension));
  const missing = REQUIRED.filter((member) => !declared.has(member)).map((member) => `${subject} has no ${member}`);
  const wrong = [...declared].flatMap(([member, value]) => {
    const check = Object.hasOwn(MEMBERS, member) ? MEMBERS[member as keyof Extension] : undefined;
    if (!check) return [`${subject} declares ${member}, which is no member of an extension${suggestion(member)}`];
    const [is, expectation] = check;
    if (value === undefined && !REQUIRED.includes(member)) return [];
    return is(value) ? [] : [`${member} of ${subject} has to be ${expectation}`];
  });
  return [...missing, ...wrong];
}

function suggestion(member: string): string {
  const near = NAMES.map((name) => ({ name, typos: distance(name.toLowerCase(), member.toLowerCase()) }));
  const [best] = near.sort((one, other) => one.typos - other.typos);
  return best && best.typos <= MOST_TYPOS ? `; ${best.name} is` : '';
}

const CODE = /^[a-z][a-z0-9_]{2,79}$/;

export function findDeclaredNameProblems(all: readonly Extension[]): string[] {
  return [
    ...all.flatMap((extension, position) => findSettingNameProblems(extension, all.slice(0, position))),
    ...all.flatMap(findScopeProblems),
    ...all.flatMap((extension, position) => findCodeProblems(extension, all.slice(0, position))),
    ...findPlanSourceProblems(all),
    ...all.flatMap(findTableProblems),
  ];
}

function findScopeProblems({ name, scopes = [] }: Extension): string[] {
  return scopes.flatMap((scope, position) => {
    if (!isScopeOf(scope, name))
      return [`the scope ${JSON.stringify(scope)} of the extension ${name} is not ${name}:<word>`];
    return scopes.indexOf(scope) < position ? [`the extension ${name} declares the scope ${scope} twice`] : [];
  });
}

function findCodeProblems({ name, problems = {} }: Extension, earlier: readonly Extension[]): string[] {
  const prefix = `${name.replaceAll('-', '_')}_`;
  const taken = declaredCodes(earlier);
  return Object.entries(problems).flatMap(([code, kind]) => {
    if (!code.startsWith(prefix) || !CODE.test(code) || code === prefix)
      return [`the problem code ${JSON.stringify(code)} of the extension ${name} is not ${prefix}<word>`];
    if (Object.hasOwn(PROBLEMS, code) || taken.has(code))
      return [`the problem code ${code} of the extension ${name} is taken already`];
    const mistake = findKindMistake(kind);
    return mistake === null ? [] : [`the problem ${code} of the extension ${name} ${mistake}`];
  });
}

function findKindMistake({ status, title, about, retryable }: ProblemKind): string | null {
  if (!Number.isInteger(status) || status < 400 || status > 599) return 'needs a status from 400 to 599';
  if ([title, about].some((text: unknown) => typeof text !== 'string' || text === '')) return 'needs a title and about';
  return typeof retryable === 'boolean' ? null : 'needs retryable, true or false';
}

function findPlanSourceProblems(all: readonly Extension[]): string[] {
  const names = all.filter(({ planSource }) => planSource !== undefined).map(({ name }) => name);
  return names.length > 1 ? [`there can be one plan source, and the extensions ${names.join(' and ')} have one`] : [];
}

export function declaredCodes(all: readonly Extension[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ problems = {} }) => Object.keys(problems)));
}

/**
 * Finds tables without the extension's prefix or a separate schema. They could clash with a present or future table of
 * Namewatch.
 */
function findTableProblems({ name, entities = [] }: Extension): string[] {
  const prefix = `${name.replaceAll('-', '_')}_`;
  return entities.flatMap(({ meta }) => {
    const { className, schema, embeddable, abstract } = meta;
    const table = meta.tableName ?? new UnderscoreNamingStrategy().classToTableName(className);
    const isOwn = schema === undefined ? table.startsWith(prefix) : !['public', 'bullmq'].includes(schema);
    if (isOwn || embeddable || abstract) return [];
    return [
      `the entity ${className} of the extension ${name} maps the table ${table}: ` +
        `its tables are named ${prefix}… or are in a schema of its own`,
    ];
  });
}
