import {
  type DynamicModule,
  type FactoryProvider,
  type ForwardReference,
  Module,
  type ModuleMetadata,
  type Provider,
  type Type,
} from '@nestjs/common';
import {
  MODULE_METADATA,
  PARAMTYPES_METADATA,
  PROPERTY_DEPS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
import { includesRole, type ProcessRole } from '../config/process-role.js';
import type { Extension } from './extension.js';

type Imported = NonNullable<ModuleMetadata['imports']>[number] | undefined;
type Token = FactoryProvider['provide'];

/** Makes an extension's module, with all classes that the extension declares. Only the role `api` gets the routes. */
export function toNestModule(extension: Extension, role: ProcessRole): DynamicModule {
  const { module = createEmptyModule(extension.name), planSource } = extension;
  const base = 'module' in module ? module : { module };
  const providers = [
    ...(extension.lookupSources ?? []),
    ...(extension.channelSenders ?? []),
    ...(extension.authenticators ?? []),
    ...(extension.subscribers ?? []),
    ...(extension.tasks ?? []),
    ...(extension.accountData ?? []),
    ...(planSource ? [planSource] : []),
  ];
  return {
    ...base,
    controllers: [...(base.controllers ?? []), ...(includesRole(role, 'api') ? (extension.controllers ?? []) : [])],
    providers: [...(base.providers ?? []), ...providers],
    exports: [...(base.exports ?? []), ...providers],
  };
}

export function createEmptyModule(name: string): Type {
  const EmptyModule = { [name]: class {} }[name] as Type;
  Module({})(EmptyModule);
  return EmptyModule;
}

interface FoundModule {
  readonly controllers: readonly Type[];
  readonly providers: readonly Provider[];
}

/** Finds all modules that a module imports, directly or indirectly, including dynamic and asynchronous imports. */
export async function findModules(imported: Imported | Promise<Imported>, seen = new Set<unknown>()) {
  const module = await imported;
  if (module === undefined || seen.has(module)) return []; // Nest reports which import is undefined
  seen.add(module);
  if ('forwardRef' in module) return findModules((module as ForwardReference<() => Imported>).forwardRef(), seen);
  const { module: type, ...added }: DynamicModule = 'module' in module ? module : { module };
  const read = <Item>(key: string) => (Reflect.getMetadata(key, type) ?? []) as Item[];
  const found: FoundModule[] = [];
  for (const each of [...read<Imported>(MODULE_METADATA.IMPORTS), ...(added.imports ?? [])])
    found.push(...(await findModules(each, seen)));
  found.push({
    controllers: [...read<Type>(MODULE_METADATA.CONTROLLERS), ...(added.controllers ?? [])],
    providers: [...read<Provider>(MODULE_METADATA.PROVIDERS), ...(added.providers ?? [])],
  });
  return found;
}

/** Returns only the providers that the classes need. Other providers may need a database, which some commands lack. */
export async function neededProviders(module: DynamicModule, classes: readonly Type[]): Promise<Provider[]> {
  const modules = await findModules(module);
  const all = new Map(modules.flatMap(({ providers }) => providers.map((provider) => [tokenOf(provider), provider])));
  const needed = new Map<Token, Provider>();
  const add = (token: Token) => {
    const provider = all.get(token);
    if (!provider || needed.has(token)) return;
    needed.set(token, provider);
    dependenciesOf(provider).forEach(add);
  };
  classes.forEach(add);
  return [...needed.values()];
}

function tokenOf(provider: Provider): Token {
  return typeof provider === 'function' ? provider : provider.provide;
}

function dependenciesOf(provider: Provider): Token[] {
  if (typeof provider === 'function') return dependenciesOfClass(provider);
  if ('useClass' in provider) return dependenciesOfClass(provider.useClass);
  if ('useExisting' in provider) return [provider.useExisting as Token];
  if (!('useFactory' in provider)) return [];
  return (provider.inject ?? []).map((one) => (typeof one === 'object' && 'token' in one ? one.token : one));
}

function dependenciesOfClass(type: Type): Token[] {
  const read = <Item>(key: string) => (Reflect.getMetadata(key, type) ?? []) as Item[];
  const parameters = [...read<unknown>(PARAMTYPES_METADATA)];
  // Parameters with @Inject(token) are listed separately, because the compiler may not emit their types.
  for (const { index, param } of read<{ index: number; param: unknown }>(SELF_DECLARED_DEPS_METADATA))
    parameters[index] = param;
  const properties = read<{ type: unknown }>(PROPERTY_DEPS_METADATA).map(({ type: property }) => property);
  return [...parameters, ...properties].map((one) =>
    typeof one === 'object' && one !== null && 'forwardRef' in one
      ? (one as ForwardReference<() => Token>).forwardRef()
      : (one as Token),
  );
}
