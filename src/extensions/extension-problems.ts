import { distance } from 'fastest-levenshtein';
import type { Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { Extension } from './extension.js';
import { isScopeOf, ScopeCatalogue } from '../auth/language.js';
import { type ProblemKind, PROBLEMS, EXTENSION_CODES } from '../platform/http/errors/problem-catalogue.js';
import type { RouteAccess } from '../platform/http/route-access.js';

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

const CODE = /^[a-z][a-z0-9_]{2,79}$/;

/** What is wrong with the scopes, problem codes, plan sources and routes of these extensions, a sentence each. */
export function findDeclaredNameProblems(all: readonly Extension[]): string[] {
  const scopes = new ScopeCatalogue(all.flatMap(({ scopes: own = [] }) => own));
  return [
    ...all.flatMap(findScopeProblems),
    ...all.flatMap((extension, position) => findCodeProblems(extension, all.slice(0, position))),
    ...findPlanSourceProblems(all),
    ...all.flatMap((extension) => findUnguardedRoutes(extension, scopes, declaredCodes(all))),
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

function declaredCodes(all: readonly Extension[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ problems = {} }) => Object.keys(problems)));
}

/** Routes of the extension without access rules, with an unknown scope or with an unknown problem code. */
function findUnguardedRoutes(extension: Extension, scopes: ScopeCatalogue, codes: ReadonlySet<string>): string[] {
  return findControllers(extension).flatMap((controller) =>
    findHandlers(controller).flatMap(([handlerName, handler]) => {
      const route = `${controller.name}.${handlerName} of the extension ${extension.name}`;
      const access = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteAccess | undefined;
      const { public: isPublic, anyScope, scope } = access ?? {};
      const added = (Reflect.getMetadata(EXTENSION_CODES, handler) ?? []) as readonly string[];
      const unknown = added.filter((code) => !codes.has(code)).map((code) => `${route} names no problem code: ${code}`);
      if (isPublic === true || anyScope === true) return unknown;
      if (scope === undefined)
        return [`${route} says nothing about access: add @RequiresScope, @AllowAnyScope or @Public`, ...unknown];
      return scopes.has(scope) ? unknown : [`${route} requires the scope ${scope}, which does not exist`, ...unknown];
    }),
  );
}

function findControllers({ controllers = [], module }: Extension): readonly Type[] {
  if (module === undefined) return controllers;
  const [type, dynamic] = 'module' in module ? [module.module, module.controllers ?? []] : [module, []];
  const decorated = (Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, type) ?? []) as Type[];
  return [...controllers, ...dynamic, ...decorated];
}

/** Methods with a route, those of base classes too. */
function findHandlers(controller: Type): (readonly [string, object])[] {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  const methods = new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => [name, prototype[name] ?? {}] as const);
  return methods.filter(([, handler]) => Reflect.hasMetadata(METHOD_METADATA, handler));
}
