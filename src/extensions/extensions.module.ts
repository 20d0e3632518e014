import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { includesRole, type ProcessRole } from '../config/process-role.js';
import { EXTENSION_LOOKUP_SOURCES } from '../domains/index.js';
import { RegistryHttpModule } from '../domains/registry-http.module.js';
import { EXTENSION_CHANNEL_SENDERS } from '../notifications/index.js';
import { GuardedHttpModule } from '../notifications/guarded-http.module.js';
import { auditTrailOf } from './audit-trail.js';
import { AccountDataRegistration, EXTENSION_ACCOUNT_DATA } from './account-data.js';
import { createAccountProviders } from './account-providers.js';
import type { EventSubscriber } from './event-subscriber.js';
import { EventSubscriptions, EXTENSION_SUBSCRIBERS } from './event-subscriptions.js';
import type { Extension } from './extension.js';
import type { Extensions } from './extensions.js';

/** Puts the extensions into the container: their modules, and for each port the classes that they declare for it. */
@Module({})
export class ExtensionsModule {
  static register(extensions: Extensions, role: ProcessRole): DynamicModule {
    const ports = [
      listOf(EXTENSION_LOOKUP_SOURCES, extensions.collect('lookupSources')),
      listOf(EXTENSION_CHANNEL_SENDERS, extensions.collect('channelSenders')),
      ...createAccountProviders(extensions),
    ];
    return {
      module: ExtensionsModule,
      global: true,
      imports: [
        RegistryHttpModule,
        GuardedHttpModule,
        ...extensions.all.map((extension) => toNestModule(extension, role)),
      ],
      providers: [
        ...ports,
        namedSubscribers(extensions),
        EventSubscriptions,
        listOf(EXTENSION_ACCOUNT_DATA, extensions.collect('accountData')),
        AccountDataRegistration,
      ],
      exports: ports,
    };
  }

  /** Lookup sources alone, with the modules of the extensions that have any: for commands without a database. */
  static registerLookups({ all }: Extensions): DynamicModule {
    const withSources = all.filter(({ lookupSources = [] }) => lookupSources.length > 0);
    const sources = withSources.flatMap(({ lookupSources = [] }) => lookupSources);
    return {
      module: ExtensionsModule,
      imports: [
        RegistryHttpModule,
        GuardedHttpModule,
        ...withSources.map(({ name, module, lookupSources }) =>
          toNestModule({ name, module, lookupSources } as Extension, 'worker'),
        ),
      ],
      providers: [listOf(EXTENSION_LOOKUP_SOURCES, sources)],
    };
  }
}

/** All instances of these classes, in order, under one token. */
function listOf(token: string, types: readonly Type[]): Provider {
  return { provide: token, inject: [...types], useFactory: (...instances: unknown[]) => instances };
}

function namedSubscribers({ all }: Extensions): Provider {
  const declared = all.flatMap(({ name, subscribers = [] }) => subscribers.map((type) => ({ extension: name, type })));
  return {
    provide: EXTENSION_SUBSCRIBERS,
    inject: declared.map(({ type }) => type),
    useFactory: (...instances: EventSubscriber[]) =>
      instances.map((subscriber, position) => ({ extension: declared[position]?.extension, subscriber })),
  };
}

function toNestModule(extension: Extension, role: ProcessRole): DynamicModule {
  const base = toDynamicModule(extension);
  const {
    lookupSources = [],
    channelSenders = [],
    authenticators = [],
    subscribers = [],
    accountData = [],
  } = extension;
  const { planSource } = extension;
  const declared = [...lookupSources, ...channelSenders, ...authenticators, ...subscribers, ...accountData];
  const providers = [...declared, ...(planSource ? [planSource] : [])];
  return {
    ...base,
    controllers: [...(base.controllers ?? []), ...(includesRole(role, 'api') ? (extension.controllers ?? []) : [])],
    providers: [...(base.providers ?? []), ...providers, auditTrailOf(extension.name)],
    exports: [...(base.exports ?? []), ...providers],
  };
}

function toDynamicModule({ name, module }: Extension): DynamicModule {
  if (module === undefined) return { module: createEmptyModule(name) };
  return 'module' in module ? module : { module };
}

function createEmptyModule(name: string): Type {
  const EmptyModule = { [name]: class {} }[name] as Type;
  Module({})(EmptyModule);
  return EmptyModule;
}
