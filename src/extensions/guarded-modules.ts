import {
  type DynamicModule,
  type FactoryProvider,
  type ForwardReference,
  forwardRef,
  type ModuleMetadata,
  type Provider,
  Scope,
  type Type,
} from '@nestjs/common';
import {
  INTERCEPTORS_METADATA,
  MODULE_METADATA,
  PARAMTYPES_METADATA,
  PROPERTY_DEPS_METADATA,
  SCOPE_OPTIONS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { namedRequests } from './extension-calls.js';
import { superviseStart, superviseStop, toStartFailure } from './supervised-start.js';

type Imported = NonNullable<ModuleMetadata['imports']>[number];
type Exported = NonNullable<ModuleMetadata['exports']>[number];
type Token = FactoryProvider['provide'];
type AnyClass = new (...dependencies: never[]) => object;

/**
 * Copies the modules of extensions, so that each constructor, factory and lifecycle hook runs under the name of its
 * extension, and so do requests to its controllers. A module that several import is copied once.
 */
export class GuardedModules {
  private readonly copies = new Map<unknown, unknown>();

  /** Copies a module with what the extension adds to it. */
  guard(extension: string, dynamic: DynamicModule): DynamicModule {
    return this.copyOnce(dynamic, ({ module, imports, controllers, providers, exports, ...rest }) => ({
      ...rest,
      module: this.copyClass(extension, module),
      ...this.copyParts(extension, { imports, controllers, providers, exports } as ModuleMetadata),
    }));
  }

  private copyOnce<Original>(original: Original, copy: (original: Original) => Original): Original {
    const copied = (this.copies.get(original) as Original | undefined) ?? copy(original);
    this.copies.set(original, copied);
    return copied;
  }

  /** Makes a subclass whose metadata names the copies. */
  private copyClass(extension: string, module: Type): Type {
    const known = this.copies.get(module) as Type | undefined;
    if (known) return known;
    const copy = guardClass(extension, module);
    this.copies.set(module, copy); // before its imports, which may lead back to it
    const read = (key: string) => Reflect.getMetadata(key, module) as unknown[] | undefined;
    const parts = Object.fromEntries(Object.values(MODULE_METADATA).map((key) => [key, read(key)]));
    for (const [key, items] of Object.entries(this.copyParts(extension, parts as ModuleMetadata)))
      Reflect.defineMetadata(key, items, copy);
    return copy;
  }

  private copyParts(
    extension: string,
    { imports = [], controllers = [], providers = [], exports = [] }: ModuleMetadata,
  ) {
    return {
      imports: imports.map((imported) => this.guardImport(extension, imported)),
      controllers: controllers.map((controller) => guardController(extension, controller)),
      providers: providers.map((provider) => guardProvider(extension, provider)),
      exports: exports.map((exported) => this.guardExport(extension, exported)),
    };
  }

  private guardImport(extension: string, imported: Imported): Imported {
    if (imported instanceof Promise)
      return this.copyOnce(imported, (promised) => promised.then((module) => this.guard(extension, module)));
    if (isForwardReference(imported))
      return forwardRef(() => this.guardImport(extension, resolveForward<Imported>(imported)));
    return 'module' in imported ? this.guard(extension, imported) : this.copyClass(extension, imported);
  }

  private guardExport(extension: string, exported: Exported): Exported {
    if (typeof exported === 'object' && 'module' in exported) return this.guard(extension, exported);
    return (this.copies.get(exported) as Exported | undefined) ?? exported;
  }
}

function isForwardReference(imported: Imported): imported is ForwardReference {
  return typeof imported === 'object' && 'forwardRef' in imported;
}

function resolveForward<Referred>({ forwardRef: resolve }: ForwardReference): Referred {
  return (resolve as () => Referred)();
}

/** What these provide applies to every route of the application, those of the service too. */
const GLOBAL_TOKENS: readonly unknown[] = [APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE];

function guardProvider(extension: string, provider: Provider): Provider {
  if ('provide' in provider && GLOBAL_TOKENS.includes(provider.provide)) {
    const sentence = `it provides ${nameOf(provider.provide)}, which would apply to every route of the service`;
    throw toStartFailure(extension, '', new InvalidConfigurationError([sentence]));
  }
  if (typeof provider === 'function') return { provide: provider, useClass: guardClass(extension, provider) };
  if ('useClass' in provider) return { ...provider, useClass: guardClass(extension, provider.useClass) };
  // What a request creates is not part of the start.
  if (!('useFactory' in provider) || provider.scope === Scope.REQUEST) return provider;
  const { useFactory } = provider;
  const step = `the factory of ${nameOf(provider.provide)}`;
  return {
    ...provider,
    useFactory: (...dependencies: unknown[]) =>
      superviseStart(extension, step, async () =>
        guardHooks(extension, nameOf(provider.provide), await (useFactory(...dependencies) as unknown)),
      ),
  };
}

/** Makes a controller whose requests are timed and fail with the name of the extension. */
function guardController(extension: string, controller: Type): Type {
  const copy = guardClass(extension, controller);
  const own = (Reflect.getMetadata(INTERCEPTORS_METADATA, controller) ?? []) as unknown[];
  Reflect.defineMetadata(INTERCEPTORS_METADATA, [namedRequests(extension), ...own], copy);
  return copy;
}

const START_HOOKS = ['onModuleInit', 'onApplicationBootstrap'] as const;
const STOP_HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'] as const;

/** Makes a subclass of the same name: Nest finds its metadata along the prototypes. */
function guardClass<Class extends AnyClass>(extension: string, type: Class): Type {
  const scope = (Reflect.getMetadata(SCOPE_OPTIONS_METADATA, type) ?? {}) as { scope?: Scope };
  const isPartOfStart = scope.scope !== Scope.REQUEST;
  const Guarded = class extends (type as unknown as new (...dependencies: unknown[]) => object) {
    constructor(...dependencies: unknown[]) {
      try {
        super(...dependencies);
      } catch (error) {
        throw isPartOfStart ? toStartFailure(extension, `the constructor of ${type.name}`, error) : error;
      }
    }
  };
  Object.defineProperty(Guarded, 'name', { value: type.name });
  return guardHooks(extension, type.name, Guarded.prototype) && Guarded;
}

/** Replaces the lifecycle hooks of a prototype, or of an instance that a factory returned. */
function guardHooks<Target>(extension: string, name: string, target: Target): Target {
  if (typeof target !== 'object' || target === null) return target;
  const hooks = target as Record<string, unknown>;
  for (const hook of [...START_HOOKS, ...STOP_HOOKS]) {
    const own = hooks[hook];
    if (typeof own !== 'function') continue;
    const supervise = (START_HOOKS as readonly string[]).includes(hook) ? superviseStart : superviseStop;
    hooks[hook] = function (this: unknown, ...parameters: unknown[]) {
      return supervise(extension, `${name}.${hook}`, () => own.apply(this, parameters) as unknown);
    };
  }
  return target;
}

function nameOf(token: Token): string {
  return typeof token === 'function' ? token.name : String(token);
}

/**
 * Finds the providers that some classes need, and theirs, among all that a module and its imports have: nothing else is
 * created.
 */
export async function neededProviders(
  extension: string,
  module: DynamicModule,
  classes: readonly Type[],
): Promise<Provider[]> {
  const all = new Map<Token, Provider>();
  await collectProviders(module, all, new Set());
  const needed = new Map<Token, Provider>();
  const add = (token: Token) => {
    const provider = all.get(token);
    if (!provider || needed.has(token)) return;
    needed.set(token, guardProvider(extension, provider));
    dependenciesOf(provider).forEach(add);
  };
  classes.forEach(add);
  return [...needed.values()];
}

async function collectProviders(imported: Imported, found: Map<Token, Provider>, seen: Set<unknown>): Promise<void> {
  const module = await imported;
  if (isForwardReference(module)) return collectProviders(resolveForward<Imported>(module), found, seen);
  if (seen.has(module)) return;
  seen.add(module);
  const { module: type, ...dynamic } = 'module' in module ? module : { module };
  const read = <Item>(key: string) => (Reflect.getMetadata(key, type) ?? []) as Item[];
  const imports = [...read<Imported>(MODULE_METADATA.IMPORTS), ...(dynamic.imports ?? [])];
  for (const each of imports) await collectProviders(each, found, seen);
  for (const provider of [...read<Provider>(MODULE_METADATA.PROVIDERS), ...(dynamic.providers ?? [])])
    found.set(typeof provider === 'function' ? provider : provider.provide, provider);
}

function dependenciesOf(provider: Provider): Token[] {
  if (typeof provider === 'function') return dependenciesOfClass(provider);
  if ('useClass' in provider) return dependenciesOfClass(provider.useClass);
  if ('useExisting' in provider) return [provider.useExisting as Token];
  if (!('useFactory' in provider)) return [];
  return (provider.inject ?? []).map((one) => (typeof one === 'object' && 'token' in one ? one.token : one));
}

function dependenciesOfClass(type: AnyClass): Token[] {
  const read = <Item>(key: string) => (Reflect.getMetadata(key, type) ?? []) as Item[];
  const declared = read<{ index: number; param: unknown }>(SELF_DECLARED_DEPS_METADATA);
  const parameters = read<unknown>(PARAMTYPES_METADATA).map(
    (parameter, index) => declared.find((one) => one.index === index)?.param ?? parameter,
  );
  const properties = read<{ type: unknown }>(PROPERTY_DEPS_METADATA).map(({ type: property }) => property);
  return [...parameters, ...properties].map((one) =>
    typeof one === 'object' && one !== null && 'forwardRef' in one
      ? resolveForward<Token>(one as ForwardReference)
      : (one as Token),
  );
}
