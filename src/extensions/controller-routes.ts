import type { Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA } from '@nestjs/common/constants.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { ScopeCatalogue } from '../auth/language.js';
import { EXTENSION_CODES } from '../platform/http/errors/problem-catalogue.js';
import type { RouteAccess } from '../platform/http/route-access.js';
import type { Extension } from './extension.js';

/** Routes of the extension without access rules, with an unknown scope or with an unknown problem code. */
export function findUnguardedRoutes(
  extension: Extension,
  scopes: ScopeCatalogue,
  codes: ReadonlySet<string>,
): string[] {
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
  const handlers: (readonly [string, object])[] = [];
  let prototype = controller.prototype as object | null;
  for (; prototype && prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object | null)
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
      if (typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value)) handlers.push([name, value]);
    }
  return handlers;
}
