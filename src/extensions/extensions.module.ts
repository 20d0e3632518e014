import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ModuleRef } from '@nestjs/core';
import { RuntimeException } from '@nestjs/core/errors/exceptions/runtime.exception.js';
import { includesRole, type ProcessRole } from '../config/process-role.js';
import { EXTENSION_LOOKUP_SOURCES, type LookupSource } from '../domains/index.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { findInstanceProblems, findTaskNameClashes } from './port-problems.js';
import { RegistryHttpModule } from '../domains/registry-http.module.js';
import { EXTENSION_CHANNEL_SENDERS, matchesFilter } from '../notifications/index.js';
import { GuardedHttpModule } from '../notifications/guarded-http.module.js';
import { auditTrailOf } from './audit-trail.js';
import type { EventSubscriber, EventFilter, EventOf } from './event-subscriber.js';
import type { AccountData, Extension } from './extension.js';
import { ExtensionCalls, ExtensionFailed } from './extension-calls.js';
import { EXTENSION_TASKS, type ExtensionTask } from './extension-tasks.js';
import { findModules, GuardedModules, neededProviders } from './guarded-modules.js';
import { toSentence, toStartFailure } from './supervised-start.js';
import { SECOND } from '../kernel/clock.js';
import { withTimeout } from '../kernel/promises.js';
import type { Extensions } from './extensions.js';
import {
  AccountDataRegistry,
  EXTENSION_AUTHENTICATORS,
  EXTENSION_PLAN_SOURCE,
  type ExtensionAuthenticator,
  type ExtensionPlanSource,
  ScopeCatalogue,
} from '../auth/index.js';
import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';
import { ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import type { DomainEvent } from '../kernel/domain-event.js';
import { EventBus } from '../kernel/unit-of-work.js';

/** Puts the extensions into the container: their modules, and for each port the classes that they declare for it. */
@Module({})
export class ExtensionsModule {
  static register(extensions: Extensions, role: ProcessRole): DynamicModule {
    const modules = new GuardedModules();
    const provided = [
      ...settingsProviders(extensions),
      portProvider(extensions, {
        token: EXTENSION_TASKS,
        port: null,
        declared: ({ tasks }) => tasks,
        toEntry: (extension, task): ExtensionTask => ({ extension, task }),
      }),
      ExtensionCalls,
      portProvider(extensions, {
        token: EXTENSION_LOOKUP_SOURCES,
        port: 'lookup_source',
        declared: ({ lookupSources }) => lookupSources,
        toEntry: (_extension, source) => source,
      }),
      portProvider(extensions, {
        token: EXTENSION_CHANNEL_SENDERS,
        port: 'channel_sender',
        declared: ({ channelSenders }) => channelSenders,
        toEntry: (_extension, sender) => sender,
      }),
      ...createAccountProviders(extensions),
    ];
    return {
      module: ExtensionsModule,
      global: true,
      imports: [
        RegistryHttpModule,
        GuardedHttpModule,
        ...extensions.all.map((extension) => modules.guard(extension.name, toNestModule(extension, role))),
      ],
      providers: [
        ...provided,
        portProvider(extensions, {
          token: EXTENSION_SUBSCRIBERS,
          port: null,
          declared: ({ subscribers }) => subscribers,
          toEntry: (extension, subscriber): ExtensionSubscriber => ({ extension, subscriber }),
        }),
        EventSubscriptions,
        portProvider(extensions, {
          token: EXTENSION_ACCOUNT_DATA,
          port: 'account_data',
          declared: ({ accountData }) => accountData,
          toEntry: (_extension, data) => data,
        }),
        AccountDataRegistration,
      ],
      exports: provided,
    };
  }

  /** Lookup sources and what they need, nothing else: for commands without a database. */
  static async registerLookups(extensions: Extensions): Promise<DynamicModule> {
    const withSources = extensions.all.filter(({ lookupSources = [] }) => lookupSources.length > 0);
    const sources = withSources.flatMap(({ lookupSources = [] }) => lookupSources);
    const needed = withSources.map((extension) =>
      neededProviders(extension.name, toNestModule(extension, 'worker'), extension.lookupSources ?? []),
    );
    const settings = settingsProviders(extensions);
    return {
      module: ExtensionsModule,
      global: true,
      imports: [
        RegistryHttpModule,
        GuardedHttpModule,
        ...(await Promise.all(needed)).map((providers, position) => ({
          module: createEmptyModule(withSources[position]?.name ?? ''),
          providers: [...providers, auditTrailOf(withSources[position]?.name ?? '')],
          exports: providers,
        })),
      ],
      providers: [
        ...settings,
        {
          provide: EXTENSION_LOOKUP_SOURCES,
          inject: [...sources],
          useFactory: (...instances: LookupSource[]) => {
            const names = withSources.flatMap(({ name, lookupSources = [] }) => lookupSources.map(() => ({ name })));
            refuseWrongInstances(names, instances);
            return instances;
          },
        },
      ],
      exports: settings,
    };
  }
}

/**
 * Runs the creation of an application: what Nest refuses of an extension, such as a dependency that nobody provides, is a
 * sentence with its name.
 * @throws InvalidConfigurationError
 */
export async function explainNestErrors<Result>(
  extensions: Extensions,
  create: () => Promise<Result>,
): Promise<Result> {
  try {
    return await create();
  } catch (error) {
    const isOurs = error instanceof InvalidConfigurationError || isDatabaseUnavailable(error);
    if (isOurs || extensions.all.length === 0) throw error;
    const owner = await findOwner(extensions, error);
    if (owner === null) throw error;
    throw toStartFailure(owner, 'its module', error);
  }
}

/** The extension whose class an error names; null: it is about none. */
async function findOwner({ all }: Extensions, error: unknown): Promise<string | null> {
  const words = new Set(toSentence(error).match(/[\w$-]+/g));
  for (const extension of all) {
    const modules = await findModules(toNestModule(extension, 'all'));
    const types = modules.flatMap(({ type, controllers, providers }) => [
      type,
      ...controllers,
      ...providers.map(classOf),
    ]);
    if (types.some((type) => words.has(type?.name ?? ''))) return extension.name;
  }
  return all.length === 1 && error instanceof RuntimeException ? (all[0]?.name ?? null) : null;
}

function classOf(provider: Provider): Type | null {
  if (typeof provider === 'function') return provider;
  return 'useClass' in provider ? provider.useClass : null;
}

/** The settings of the extensions, by their classes. */
function settingsProviders({ settings }: Extensions): Provider[] {
  return [...settings].map(([type, values]) => ({ provide: type, useValue: values }));
}

interface PortDefinition<Instance, Entry> {
  readonly token: string;
  /** null: whoever calls it measures it. */
  readonly port: Parameters<ExtensionCalls['measureInstance']>[1] | null;
  readonly declared: (extension: Extension) => readonly Type<Instance>[] | undefined;
  readonly toEntry: (extension: string, instance: Instance) => Entry;
}

/** All instances that the extensions declare for a port, in order, under one token. */
function portProvider<Instance extends object, Entry>(
  { all }: Extensions,
  { token, port, declared, toEntry }: PortDefinition<Instance, Entry>,
): FactoryProvider<readonly Entry[]> {
  const types = all.flatMap((extension) => (declared(extension) ?? []).map((type) => ({ name: extension.name, type })));
  return {
    provide: token,
    inject: [ExtensionCalls, ...types.map(({ type }) => type)],
    useFactory: (calls: ExtensionCalls, ...instances: Instance[]) => {
      refuseWrongInstances(types, instances);
      return types.map(({ name }, position) => {
        const instance = instances[position] as Instance;
        return toEntry(name, port === null ? instance : calls.measureInstance(name, port, instance));
      });
    },
  };
}

/** @throws InvalidConfigurationError for names and filters that only an instance knows */
function refuseWrongInstances(types: readonly { readonly name: string }[], instances: readonly object[]): void {
  const named = types.map(({ name }, position) => ({ extension: name, instance: instances[position] ?? {} }));
  const problems = [
    ...named.flatMap(({ extension, instance }) => findInstanceProblems(extension, instance)),
    ...findTaskNameClashes(named),
  ];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}

function toNestModule(extension: Extension, role: ProcessRole): DynamicModule {
  const base = toDynamicModule(extension);
  const {
    lookupSources = [],
    channelSenders = [],
    authenticators = [],
    subscribers = [],
    tasks = [],
    accountData = [],
  } = extension;
  const { planSource } = extension;
  const declared = [...lookupSources, ...channelSenders, ...authenticators, ...subscribers, ...tasks, ...accountData];
  const providers = [...declared, ...(planSource ? [planSource] : [])];
  return {
    ...base,
    controllers: [...(base.controllers ?? []), ...(includesRole(role, 'api') ? (extension.controllers ?? []) : [])],
    providers: [...(base.providers ?? []), ...providers],
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
  const problems = extensions.all.flatMap(({ problems: own = {} }) => Object.entries(own));
  const planSources = portProvider(extensions, {
    token: EXTENSION_PLAN_SOURCE,
    port: 'plan_source',
    declared: ({ planSource }) => planSource && [planSource],
    toEntry: (extension, source): ExtensionPlanSource => ({ extension, source }),
  });
  return [
    { provide: ScopeCatalogue, useValue: new ScopeCatalogue(extensions.collect('scopes')) },
    { provide: ProblemCatalogue, useValue: new ProblemCatalogue(Object.fromEntries(problems)) },
    planSources,
    portProvider(extensions, {
      token: EXTENSION_AUTHENTICATORS,
      port: 'authenticator',
      declared: ({ authenticators }) => authenticators,
      toEntry: (extension, authenticator): ExtensionAuthenticator => ({ extension, authenticator }),
    }),
  ];
}

/** Injection token: `readonly ExtensionSubscriber[]`. */
const EXTENSION_SUBSCRIBERS = 'extension-subscribers';

interface ExtensionSubscriber {
  /** The name of its extension. */
  readonly extension: string;
  readonly subscriber: EventSubscriber;
}

/** No subscriber waits for a network; PostgreSQL ends a transaction that is idle for five seconds. */
const HANDLE_LIMIT_MS = 4 * SECOND;

/** Subscribes the extensions to events of this process. */
@Injectable()
class EventSubscriptions implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    private readonly entities: EntityManager,
    private readonly calls: ExtensionCalls,
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
      await this.calls.measure(extension, 'subscriber', () =>
        withTimeout(HANDLE_LIMIT_MS, this.handleAndFlush(subscriber, events)),
      );
    } catch (error) {
      // Never taken for an error of ours, such as a name that is watched already. Whoever records the change logs it.
      throw new ExtensionFailed(extension, `${subscriber.constructor.name}.handle`, error);
    }
  }

  private async handleAndFlush(subscriber: EventSubscriber, events: readonly DomainEvent[]): Promise<void> {
    await subscriber.handle(events as readonly EventOf<EventFilter>[]);
    await this.entities.flush();
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
