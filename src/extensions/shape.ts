import { distance } from 'fastest-levenshtein';
import type { Extension } from './extension.js';

type Check = readonly [is: (value: unknown) => boolean, expectation: string];

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isRecord = (value: unknown) => isObject(value) && !Array.isArray(value);
/** An arrow function has no prototype, and cannot be constructed. */
const isClass = (value: unknown) => typeof value === 'function' && isObject(value.prototype);
const isModule = (value: unknown) => isClass(value) || (isObject(value) && 'module' in value && isClass(value.module));
const isSchema = (value: unknown) => isClass(value) || isRecord(value);
const isMigration = (value: unknown) =>
  isObject(value) && 'name' in value && isText(value.name) && 'class' in value && isClass(value.class);

const list = (is: (value: unknown) => boolean, of: string): Check => [
  (value) => Array.isArray(value) && value.every(is),
  `an array of ${of}`,
];

/** What each member has to be. Packages in JavaScript are not held to it by a compiler. */
const MEMBERS: Readonly<Record<keyof Extension, Check>> = {
  name: [isText, 'a text'],
  compatibility: [isText, 'a text'],
  module: [isModule, 'a Nest module'],
  controllers: list(isClass, 'classes'),
  lookupSources: list(isClass, 'classes'),
  channelSenders: list(isClass, 'classes'),
  planSource: [isClass, 'a class'],
  authenticators: list(isClass, 'classes'),
  subscribers: list(isClass, 'classes'),
  accountData: list(isClass, 'classes'),
  scopes: list(isText, 'texts'),
  problems: [isRecord, 'an object'],
  entities: list(isSchema, 'entity schemas'),
  migrations: list(isMigration, 'objects with name and class'),
};
const REQUIRED = ['name', 'compatibility'];
const NAMES = Object.keys(MEMBERS);
const MOST_TYPOS = 3;

/** What is wrong with the types of what an extension declares, a sentence each. */
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
