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
import { auditTrailOf } from './audit-trail.js';
import { namedRequests } from './extension-calls.js';
import { letSignalsEndProcess } from '../process/shutdown.js';
import { superviseStart, superviseStop, toStartFailure } from './supervised-start.js';

type Imported = NonNullable<ModuleMetadata['imports']>[number];
type Exported = NonNullable<ModuleMetadata['exports']>[number];
type Token = FactoryProvider['provide'];
type AnyClass = new (...dependencies: never[]) => object;

/** What a module has, in the metadata of its class and in what it is imported with. */
interface Parts {
  readonly imports: readonly Imported[];
  readonly controllers: readonly Type[];
  readonly providers: readonly Provider[];
  readonly exports: readonly Exported[];
}

/**
 * Copies the modules of extensions, so that each constructor, factory and lifecycle hook runs under the name of its
 * extension, and so do requests to its controllers. A module that several import is copied once. What is imported with
 * options, `X.forRoot()`, is mostly a library's, and stays as it is.
 */
export class GuardedModules {
  private readonly copies = new Map<Type, Type>();

  /** Copies the module of an extension, with what it declares. */
  guard(extension: string, { module, global, ...parts }: DynamicModule): DynamicModule {
    const added: Parts = { imports: [], controllers: [], providers: [], exports: [], ...(parts as Partial<Parts>) };
    const copy = this.copyClass(extension, module, added);
    return {
      ...(global === undefined ? {} : { global }),
      module: copy,
      ...this.copyParts(extension, added, partsOf(module)),
    };
  }

  /** Makes a subclass whose metadata names the copies. */
  private copyClass(extension: string, module: Type, added: Parts | null = null): Type {
    const known = this.copies.get(module);
    if (known) return known;
    const copy = guardClass(extension, module);
    this.copies.set(module, copy); // before its imports, which may lead back to it
    for (const [key, items] of Object.entries(this.copyParts(extension, partsOf(module), added)))
      Reflect.defineMetadata(key, items, copy);
    const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, copy) as Provider[];
    providers.push({ provide: module, useExisting: copy }, auditTrailOf(extension));
    return copy;
  }

  /** @param others what the same module has beside these parts */
  private copyParts(extension: string, parts: Parts, others: Parts | null) {
    const imports = [...parts.imports, ...(others?.imports ?? [])];
    const tokens = new Set([...parts.providers, ...(others?.providers ?? [])].map(tokenOf));
    return {
      imports: parts.imports.map((imported) => this.guardImport(extension, imported)),
      controllers: parts.controllers.map((controller) => guardController(extension, controller)),
      providers: parts.providers.map((provider) => guardProvider(extension, provider)),
      exports: parts.exports.map((exported) =>
        tokens.has(exported as Token) ? exported : this.guardExport(extension, exported, imports),
      ),
    };
  }

  private guardImport(extension: string, imported: Imported): Imported {
    if (imported instanceof Promise) return imported;
    if (isForwardReference(imported))
      return forwardRef(() => this.guardImport(extension, resolveForward<Imported>(imported)));
    return typeof imported === 'function' ? this.copyClass(extension, imported) : imported;
  }

  /** An exported module is copied as its import is: by its class, unless it was imported with options. */
  private guardExport(extension: string, exported: Exported, imports: readonly Imported[]): Exported {
    if (typeof exported === 'object' && 'forwardRef' in exported)
      return forwardRef(() => this.guardExport(extension, resolveForward<Exported>(exported), imports));
    if (typeof exported !== 'function') return exported;
    const isPlain =
      imports.includes(exported as Type) || (imports.some(isForwardReference) && !imports.some(hasOptions));
    return isPlain ? this.copyClass(extension, exported as Type) : exported;
  }
}

function partsOf(module: Type): Parts {
  const read = <Item>(key: string) => (Reflect.getMetadata(key, module) ?? []) as Item[];
  return {
    imports: read(MODULE_METADATA.IMPORTS),
    controllers: read(MODULE_METADATA.CONTROLLERS),
    providers: read(MODULE_METADATA.PROVIDERS),
    exports: read(MODULE_METADATA.EXPORTS),
  };
}

function tokenOf(provider: Provider): Token {
  return typeof provider === 'function' ? provider : provider.provide;
}

/** Whether it is a module with options, or a promise of one. */
function hasOptions(imported: Imported): boolean {
  return imported instanceof Promise || (typeof imported === 'object' && 'module' in imported);
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
    // oxlint-disable-next-line constructor-super, no-this-before-super -- without super() it has thrown
    constructor(...dependencies: unknown[]) {
      const listenAgain = letSignalsEndProcess();
      try {
        super(...dependencies);
      } catch (error) {
        throw isPartOfStart ? toStartFailure(extension, `the constructor of ${type.name}`, error) : error;
      } finally {
        listenAgain();
      }
      guardHooks(extension, type.name, this, isOwn);
    }
  };
  Object.defineProperty(Guarded, 'name', { value: type.name });
  guardHooks(extension, type.name, Guarded.prototype);
  return Guarded;
}

const isOwn = (target: object, hook: string) => Object.hasOwn(target, hook);

/** Replaces the lifecycle hooks of a prototype, or of an instance that a factory returned. */
function guardHooks<Target>(
  extension: string,
  name: string,
  target: Target,
  isReplaced: (target: object, hook: string) => boolean = () => true,
): Target {
  if (typeof target !== 'object' || target === null) return target;
  for (const hook of [...START_HOOKS, ...STOP_HOOKS]) {
    const own = (target as Readonly<Record<string, unknown>>)[hook];
    if (typeof own !== 'function' || !isReplaced(target, hook)) continue;
    const supervise = (START_HOOKS as readonly string[]).includes(hook) ? superviseStart : superviseStop;
    const value = function (this: unknown, ...parameters: unknown[]) {
      return supervise(extension, `${name}.${hook}`, () => own.apply(this, parameters) as unknown);
    };
    Reflect.defineProperty(target, hook, { value, configurable: true, writable: true });
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
  const modules = await findModules(module);
  const all = new Map(modules.flatMap(({ providers }) => providers.map((provider) => [tokenOf(provider), provider])));
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

/** A module of an extension's tree, with what it has. */
interface FoundModule extends Parts {
  readonly type: Type;
}

/** All modules that a module leads to, those imported with options and those of promises too. */
export async function findModules(imported: Imported, seen = new Set<unknown>()): Promise<FoundModule[]> {
  const module = await imported;
  if (isForwardReference(module)) return findModules(resolveForward<Imported>(module), seen);
  if (seen.has(module) || (module as unknown) === undefined) return []; // Nest says which import is undefined
  seen.add(module);
  const { module: type, ...added } = 'module' in module ? module : { module };
  const own = partsOf(type);
  const parts = Object.fromEntries(
    (Object.keys(own) as (keyof Parts)[]).map((key) => [key, [...own[key], ...((added as Partial<Parts>)[key] ?? [])]]),
  ) as unknown as Parts;
  const found: FoundModule[] = [];
  for (const each of parts.imports) found.push(...(await findModules(each, seen)));
  return [...found, { type, ...parts }];
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
  const parameters = [...read<unknown>(PARAMTYPES_METADATA)];
  for (const { index, param } of declared) parameters[index] = param; // also where no compiler has written types
  const properties = read<{ type: unknown }>(PROPERTY_DEPS_METADATA).map(({ type: property }) => property);
  return [...parameters, ...properties].map((one) =>
    typeof one === 'object' && one !== null && 'forwardRef' in one
      ? resolveForward<Token>(one as ForwardReference)
      : (one as Token),
  );
}
