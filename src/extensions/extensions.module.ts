import {
  type DynamicModule,
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ModuleRef } from '@nestjs/core';
import { includesRole, type ProcessRole } from '../config/process-role.js';
import { EXTENSION_LOOKUP_SOURCES } from '../domains/index.js';
import { RegistryHttpModule } from '../domains/registry-http.module.js';
import { EXTENSION_CHANNEL_SENDERS, matchesFilter } from '../notifications/index.js';
import { GuardedHttpModule } from '../notifications/guarded-http.module.js';
import { auditTrailOf } from './audit-trail.js';
import type { EventSubscriber, EventFilter, EventOf } from './event-subscriber.js';
import type { AccountData, Extension } from './extension.js';
import type { Extensions } from './extensions.js';
import {
  type AccountAuthenticator,
  AccountDataRegistry,
  EXTENSION_AUTHENTICATORS,
  EXTENSION_PLAN_SOURCE,
  type ExtensionAuthenticator,
  type ExtensionPlanSource,
  type PlanSource,
  ScopeCatalogue,
} from '../auth/index.js';
import { ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import type { DomainEvent } from '../kernel/domain-event.js';
import { EventBus } from '../kernel/unit-of-work.js';

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

/** Plans, authenticators, scopes and problem codes of this application: another one in this process may have other extensions. */
function createAccountProviders(extensions: Extensions): Provider[] {
  const { all } = extensions;
  const problems = all.flatMap(({ problems: own = {} }) => Object.entries(own));
  return [
    { provide: ScopeCatalogue, useValue: new ScopeCatalogue(extensions.collect('scopes')) },
    { provide: ProblemCatalogue, useValue: new ProblemCatalogue(Object.fromEntries(problems)) },
    createPlanSource(all),
    createAuthenticators(all),
  ];
}

function createPlanSource(all: Extensions['all']): Provider {
  const declared = all.flatMap(({ name, planSource }) => (planSource ? [{ extension: name, type: planSource }] : []));
  return {
    provide: EXTENSION_PLAN_SOURCE,
    inject: declared.map(({ type }) => type),
    useFactory: (source?: PlanSource): ExtensionPlanSource | null =>
      source && declared[0] ? { extension: declared[0].extension, source } : null,
  };
}

/** Keeps the order, and gives each the name of its extension. */
function createAuthenticators(all: Extensions['all']): Provider {
  const declared = all.flatMap(({ name, authenticators = [] }) => authenticators.map((type) => ({ name, type })));
  return {
    provide: EXTENSION_AUTHENTICATORS,
    inject: declared.map(({ type }) => type),
    useFactory: (...instances: AccountAuthenticator[]): ExtensionAuthenticator[] =>
      instances.map((authenticator, position) => ({ extension: declared[position]?.name ?? '', authenticator })),
  };
}

/** Injection token: `readonly ExtensionSubscriber[]`. */
const EXTENSION_SUBSCRIBERS = 'extension-subscribers';

interface ExtensionSubscriber {
  /** The name of its extension. */
  readonly extension: string;
  readonly subscriber: EventSubscriber;
}

/** Keeps the subscriber's error from being taken for one of ours, such as a name that is watched already. */
class SubscriberFailed extends Error {
  override readonly name = 'SubscriberFailed';

  constructor(extension: string, cause: unknown) {
    super(`a subscriber of the extension ${extension} failed: ${(cause as Error).message}`, { cause });
  }
}

/** Subscribes the extensions to events of this process. */
@Injectable()
class EventSubscriptions implements OnModuleInit {
  private readonly log = new Logger(EventSubscriptions.name);

  constructor(
    private readonly bus: EventBus,
    private readonly entities: EntityManager,
    @Inject(EXTENSION_SUBSCRIBERS) private readonly subscribers: readonly ExtensionSubscriber[],
  ) {}

  onModuleInit(): void {
    for (const { extension, subscriber } of this.subscribers)
      this.bus.observe(
        (type) => subscriber.filters.some((filter) => matchesFilter(filter, type)),
        (events) => this.handle(extension, subscriber, events),
      );
  }

  /** Flushes, so that a row that the database refuses is reported with the name of the extension. */
  private async handle(extension: string, subscriber: EventSubscriber, events: readonly DomainEvent[]): Promise<void> {
    try {
      await subscriber.handle(events as readonly EventOf<EventFilter>[]);
      await this.entities.flush();
    } catch (error) {
      const failed = new SubscriberFailed(extension, error);
      this.log.error({ extension, events: events.map(({ id }) => id), err: failed }, 'change undone by a subscriber');
      throw failed;
    }
  }
}

/** Injection token: `readonly AccountData[]`. */
const EXTENSION_ACCOUNT_DATA = 'extension-account-data';

/** Registers after all modules of ours: subscribers may write rows while an account's entries are deleted. */
@Injectable()
class AccountDataRegistration implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(EXTENSION_ACCOUNT_DATA) private readonly kinds: readonly AccountData[],
  ) {}

  onApplicationBootstrap(): void {
    const registry = this.modules.get(AccountDataRegistry, { strict: false });
    registry.add(...this.kinds);
  }
}
