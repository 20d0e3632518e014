import { posix } from 'node:path';
import { RequestMethod, type Type } from '@nestjs/common';
import { CONTROLLER_WATERMARK, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { ScopeCatalogue } from '../auth/language.js';
import { EXTENSION_CODES } from '../platform/http/errors/problem-catalogue.js';
import type { RouteAccess } from '../platform/http/route-access.js';
import type { Extension, ExtensionLink } from './extension.js';
import { findModules } from './extension-modules.js';
import { declaredCodes } from './extension-problems.js';
import { findInjectionProblem } from './port-problems.js';

/** Checks the extension's own controllers and those of all modules that its module imports. */
export async function findRouteProblems(extension: Extension, all: readonly Extension[]): Promise<string[]> {
  const controllers = await findControllers(extension);
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
    ...controllers.flatMap((controller) => findInjectionProblem(extension.name, controller)),
    ...findLinkProblems(extension, routes),
  ];
}

/** One route of a handler. A handler may have several routes. */
interface Route {
  /** Such as `LedgerController.list`. */
  readonly handlerName: string;
  readonly handler: object;
  readonly method: RequestMethod;
  /** Such as `/v1/x/ledger/:id`. */
  readonly path: string;
}

async function findControllers({ controllers = [], module }: Extension): Promise<Type[]> {
  const modules = await findModules(module);
  return [...new Set([...controllers, ...modules.flatMap((found) => found.controllers)])];
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

/** Returns the path that all routes of an extension begin with. The service itself never uses a path below `/v1/x`. */
function routesOf(extension: string): string {
  return `/v1/x/${extension}`;
}

function findPlaceProblem({ path }: Route, subject: string, { name }: Extension): string[] {
  const place = routesOf(name);
  if (path === place || path.startsWith(`${place}/`)) return [];
  return [`${subject} has the route ${path}: the routes of an extension are below ${place}`];
}

/** Returns the route without the names of its parameters, since routes that differ only in these names clash. */
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
/** Matches the label of a link. A label is one line, since the dashboard shows labels in lists. */
const LINK_LABEL = /^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,60}(?<!\s)$/u;
/** Matches paths that all programs read alike: without scheme, host, `..`, encoding or query. */
const LINK_PATH = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

function findLinkProblems(extension: Extension, routes: readonly Route[]): string[] {
  const { name, links = [] } = extension;
  if (links.length > MOST_LINKS) return [`the extension ${name} has ${links.length} links; ${MOST_LINKS} are shown`];
  return links.flatMap((link, position) => {
    const isRepeated = links.findIndex(({ path }) => path === link.path) < position;
    return findLinkProblem(name, link, routes, isRepeated) ?? [];
  });
}

function findLinkProblem(
  name: string,
  { label, path, scope }: ExtensionLink,
  routes: readonly Route[],
  isRepeated: boolean,
): string | null {
  if (!LINK_LABEL.test(label))
    return `a link of the extension ${name} has the label ${JSON.stringify(label.slice(0, 100))}, which is not one line of 1 to 60 characters`;
  const subject = `the link ${JSON.stringify(label)} of the extension ${name}`;
  const place = routesOf(name);
  if (!LINK_PATH.test(path) || !`${path}/`.startsWith(`${place}/`))
    return `${subject} leads to ${JSON.stringify(path.slice(0, 100))}, and not to ${place} or a plain path below it`;
  if (isRepeated) return `${subject} leads to ${path}, as another one does`;
  const route = findLinkedRoute(routes, path);
  if (!route) return `${subject} leads to ${path}, which is no GET route of it`;
  const { scope: required } = accessOf(route.handler);
  if (scope === required) return null;
  return `${subject} has ${scope ? `the scope ${scope}` : 'no scope'}, and ${route.handlerName} requires ${required ?? 'none'}`;
}

function findLinkedRoute(routes: readonly Route[], path: string): Route | undefined {
  return routes.find((route) => route.method === RequestMethod.GET && route.path === path);
}

/** Returns the paths that a browser can open directly, since they need no key. */
export async function findPublicPaths(extension: Extension): Promise<ReadonlySet<string>> {
  const routes = (await findControllers(extension)).flatMap(findRoutesOf);
  const open = routes.filter(
    ({ method, handler }) => method === RequestMethod.GET && accessOf(handler).public === true,
  );
  return new Set(open.map(({ path }) => path));
}

/** Finds methods with a route, including those of base classes. */
function findHandlers(controller: Type): (readonly [string, object])[] {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  const methods = new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => [name, prototype[name] ?? {}] as const);
  return methods.filter(([, handler]) => Reflect.hasMetadata(METHOD_METADATA, handler));
}
