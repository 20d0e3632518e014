import { distance } from 'fastest-levenshtein';
import { posix } from 'node:path';
import { type ForwardReference, type ModuleMetadata, RequestMethod, type Type } from '@nestjs/common';
import { CONTROLLER_WATERMARK, METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { Extension, ExtensionLink } from './extension.js';
import { findSettingNameProblems, isSettingsClass } from './extension-settings.js';
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

const isLink = (value: unknown) =>
  isObject(value) &&
  ['label', 'path'].every((member) => isText(Reflect.get(value, member))) &&
  ['undefined', 'string'].includes(typeof Reflect.get(value, 'scope'));

const list = (is: (value: unknown) => boolean, of: string): Check => [
  (value) => Array.isArray(value) && value.every(is),
  `an array of ${of}`,
];

/** What each member has to be. Packages in JavaScript are not held to it by a compiler. */
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
  return [
    ...all.flatMap((extension, position) => findSettingNameProblems(extension, all.slice(0, position))),
    ...all.flatMap(findScopeProblems),
    ...all.flatMap((extension, position) => findCodeProblems(extension, all.slice(0, position))),
    ...findPlanSourceProblems(all),
    ...all.flatMap((extension) => findRouteProblems(extension, findControllers(extension), all)),
    ...all.flatMap(findLinkProblems),
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

/** Finds routes that are misplaced, twice there, without access rules, or with an unknown scope or problem code. */
export function findRouteProblems(
  extension: Extension,
  controllers: readonly Type[],
  all: readonly Extension[],
): string[] {
  const scopes = new ScopeCatalogue(all.flatMap(({ scopes: own = [] }) => own));
  const codes = declaredCodes(all);
  const isController = (type: Type) => Reflect.hasMetadata(CONTROLLER_WATERMARK, type);
  const routes = controllers.filter(isController).flatMap(findRoutesOf);
  const subject = ({ handlerName }: Route) => `${handlerName} of the extension ${extension.name}`;
  return [
    ...controllers
      .filter((controller) => !isController(controller))
      .map((controller) => `${controller.name} of the extension ${extension.name} has no @Controller()`),
    ...routes.flatMap((route) => findPlaceProblem(route, subject(route), extension)),
    ...routes.flatMap((route, position) => {
      const same = routes.slice(0, position).find((other) => toPattern(other) === toPattern(route));
      return same ? [`${subject(route)} has the route ${toText(route)} of ${same.handlerName}`] : [];
    }),
    ...uniqueHandlers(routes).flatMap((route) => findAccessProblems(route, subject(route), scopes, codes)),
  ];
}

/** Is one of the routes that a handler may have. */
interface Route {
  /** `LedgerController.list` */
  readonly handlerName: string;
  readonly handler: object;
  readonly method: RequestMethod;
  /** `/v1/x/ledger/:id` */
  readonly path: string;
}

function findRoutes(extension: Extension): Route[] {
  return findControllers(extension).flatMap(findRoutesOf);
}

function findRoutesOf(controller: Type): Route[] {
  const prefixes = [(Reflect.getMetadata(PATH_METADATA, controller) as string | string[] | undefined) ?? ''].flat();
  return findHandlers(controller).flatMap(([name, handler]) => {
    const paths = [(Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined) ?? ''].flat();
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
    return prefixes.flatMap((prefix) =>
      paths.map((path) => ({
        handlerName: `${controller.name}.${name}`,
        handler,
        method,
        path: posix.join('/', prefix, path).replace(/(?<=.)\/$/, ''),
      })),
    );
  });
}

/** Never used by the service, so that no version of it takes a route of an extension. */
function routesOf(extension: string): string {
  return `/v1/x/${extension}`;
}

function findPlaceProblem({ path }: Route, subject: string, { name }: Extension): string[] {
  const place = routesOf(name);
  if (path === place || path.startsWith(`${place}/`)) return [];
  return [`${subject} has the route ${path}: the routes of an extension are below ${place}`];
}

/** Two routes that differ in the names of their parameters answer the same requests. */
function toPattern({ method, path }: Route): string {
  return `${method} ${path.replaceAll(/:\w+/g, ':')}`;
}

function toText({ method, path }: Route): string {
  return `${RequestMethod[method]} ${path}`;
}

function uniqueHandlers(routes: readonly Route[]): Route[] {
  return [...new Map(routes.map((route) => [route.handlerName, route])).values()];
}

function findAccessProblems(
  { handler }: Route,
  route: string,
  scopes: ScopeCatalogue,
  codes: ReadonlySet<string>,
): string[] {
  const { public: isPublic, anyScope, scope } = accessOf(handler);
  const added = (Reflect.getMetadata(EXTENSION_CODES, handler) ?? []) as readonly string[];
  const unknown = added.filter((code) => !codes.has(code)).map((code) => `${route} names no problem code: ${code}`);
  if (isPublic === true || anyScope === true) return unknown;
  if (scope === undefined)
    return [`${route} says nothing about access: add @RequiresScope, @AllowAnyScope or @Public`, ...unknown];
  return scopes.has(scope) ? unknown : [`${route} requires the scope ${scope}, which does not exist`, ...unknown];
}

function accessOf(handler: object): RouteAccess {
  return (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteAccess | undefined) ?? {};
}

const MOST_LINKS = 20;
/** One line: the dashboard shows it in lists. */
const LINK_LABEL = /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,60}(?<!\s)$/u;
/** Means the same to every reader: no scheme, no host, no `..`, nothing encoded, no query. */
const LINK_PATH = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

function findLinkProblems(extension: Extension): string[] {
  const { name, links = [] } = extension;
  if (links.length > MOST_LINKS) return [`the extension ${name} has ${links.length} links; ${MOST_LINKS} are shown`];
  return links.flatMap((link, position) => {
    const isRepeated = links.findIndex(({ path }) => path === link.path) < position;
    return findLinkProblem(extension, link, isRepeated) ?? [];
  });
}

function findLinkProblem(
  extension: Extension,
  { label, path, scope }: ExtensionLink,
  isRepeated: boolean,
): string | null {
  const { name } = extension;
  if (!LINK_LABEL.test(label))
    return `a link of the extension ${name} has the label ${JSON.stringify(label.slice(0, 100))}, which is not one line of 1 to 60 characters`;
  const subject = `the link ${JSON.stringify(label)} of the extension ${name}`;
  const place = routesOf(name);
  if (!LINK_PATH.test(path) || !`${path}/`.startsWith(`${place}/`))
    return `${subject} leads to ${JSON.stringify(path.slice(0, 100))}, and not to ${place} or a plain path below it`;
  if (isRepeated) return `${subject} leads to ${path}, as another one does`;
  const route = findLinkedRoute(extension, path);
  if (!route) return `${subject} leads to ${path}, which is no GET route of it`;
  const { scope: required } = accessOf(route.handler);
  if (scope === required) return null;
  return `${subject} has ${scope ? `the scope ${scope}` : 'no scope'}, and ${route.handlerName} requires ${required ?? 'none'}`;
}

function findLinkedRoute(extension: Extension, path: string): Route | undefined {
  return findRoutes(extension).find((route) => route.method === RequestMethod.GET && route.path === path);
}

/** Whether a browser can open it by itself, since no key is asked for. */
export function isPublicLink(extension: Extension, { path }: ExtensionLink): boolean {
  const route = findLinkedRoute(extension, path);
  return route !== undefined && accessOf(route.handler).public === true;
}

export function findControllers({ controllers = [], module }: Extension): readonly Type[] {
  return [...new Set([...controllers, ...(module === undefined ? [] : findControllersOf(module, new Set()))])];
}

type Imported = NonNullable<ModuleMetadata['imports']>[number];

/** Those of the modules that it imports are served as well. What a promise brings is known later. */
function findControllersOf(imported: Imported | undefined, seen: Set<unknown>): Type[] {
  if (imported === undefined) return []; // by files that import each other, which Nest refuses
  const module = 'forwardRef' in imported ? (imported as ForwardReference<() => Imported>).forwardRef() : imported;
  if (module instanceof Promise || seen.has(module)) return [];
  seen.add(module);
  const { module: type, ...dynamic } = 'module' in module ? module : { module: module as Type };
  const read = <Item>(key: string) => (Reflect.getMetadata(key, type) ?? []) as Item[];
  const imports = [...(dynamic.imports ?? []), ...read<Imported>(MODULE_METADATA.IMPORTS)];
  const own = [...(dynamic.controllers ?? []), ...read<Type>(MODULE_METADATA.CONTROLLERS)];
  return [...own, ...imports.flatMap((each) => findControllersOf(each, seen))];
}

/** Methods with a route, those of base classes too. */
function findHandlers(controller: Type): (readonly [string, object])[] {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  const methods = new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => [name, prototype[name] ?? {}] as const);
  return methods.filter(([, handler]) => Reflect.hasMetadata(METHOD_METADATA, handler));
}
