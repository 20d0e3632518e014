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
import {
  AccountDataRegistry,
  EXTENSION_AUTHENTICATORS,
  EXTENSION_PLAN_SOURCE,
  type ExtensionAuthenticator,
  type ExtensionPlanSource,
  ScopeCatalogue,
} from '../auth/index.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import type { ProcessRole } from '../config/process-role.js';
import { EXTENSION_LOOKUP_SOURCES } from '../domains/index.js';
import { RegistryHttpModule } from '../domains/registry-http.module.js';
import { SECOND } from '../kernel/clock.js';
import type { DomainEvent } from '../kernel/domain-event.js';
import { withTimeout } from '../kernel/promises.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { EXTENSION_CHANNEL_SENDERS, matchesFilter } from '../notifications/index.js';
import { GuardedHttpModule } from '../notifications/guarded-http.module.js';
import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';
import { ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import { auditTrailOf } from './audit-trail.js';
import type { EventFilter, EventOf, EventSubscriber } from './event-subscriber.js';
import type { AccountData, Extension } from './extension.js';
import { ExtensionCalls, ExtensionFailed } from './extension-calls.js';
import { createEmptyModule, neededProviders, toNestModule } from './extension-modules.js';
import { EXTENSION_TASKS, type ExtensionTask } from './extension-tasks.js';
import type { Extensions } from './extensions.js';
import { findInstanceProblems, findTaskNameClashes, type PORTS } from './port-problems.js';

/** Puts the extensions into the container: their modules, and for each port the classes that they declare for it. */
@Module({})
export class ExtensionsModule {
  static register(extensions: Extensions, role: ProcessRole): DynamicModule {
    const problems = extensions.all.flatMap(({ problems: own = {} }) => Object.entries(own));
    const provided: Provider[] = [
      ...settingsProviders(extensions),
      auditTrailOf(extensions),
      ExtensionCalls,
      // Of this application: another one in this process may have other extensions.
      { provide: ScopeCatalogue, useValue: new ScopeCatalogue(extensions.collect('scopes')) },
      { provide: ProblemCatalogue, useValue: new ProblemCatalogue(Object.fromEntries(problems)) },
      lookupSourcesOf(extensions),
      portProvider(extensions, EXTENSION_CHANNEL_SENDERS, 'channelSenders', (_, sender) => sender),
      portProvider(extensions, EXTENSION_TASKS, 'tasks', (extension, task): ExtensionTask => ({ extension, task })),
      portProvider(extensions, EXTENSION_PLAN_SOURCE, 'planSource', (extension, source): ExtensionPlanSource => ({
        extension,
        source,
      })),
      portProvider(
        extensions,
        EXTENSION_AUTHENTICATORS,
        'authenticators',
        (extension, authenticator): ExtensionAuthenticator => ({ extension, authenticator }),
      ),
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
        ...provided,
        portProvider(extensions, EXTENSION_SUBSCRIBERS, 'subscribers', (extension, subscriber) => ({
          extension,
          subscriber,
        })),
        EventSubscriptions,
        portProvider(extensions, EXTENSION_ACCOUNT_DATA, 'accountData', (_, data) => data),
        AccountDataRegistration,
      ],
      exports: provided,
    };
  }

  /** Lookup sources and what they need, nothing else: for commands without a database. */
  static async registerLookups(extensions: Extensions): Promise<DynamicModule> {
    const provided = [...settingsProviders(extensions), auditTrailOf(extensions)];
    const imports: DynamicModule[] = [];
    for (const extension of extensions.all) {
      const providers = await neededProviders(toNestModule(extension, 'worker'), extension.lookupSources ?? []);
      imports.push({ module: createEmptyModule(extension.name), providers, exports: providers });
    }
    return {
      module: ExtensionsModule,
      global: true,
      imports: [RegistryHttpModule, GuardedHttpModule, ...imports],
      providers: [...provided, lookupSourcesOf(extensions)],
      exports: provided,
    };
  }
}

/**
 * Runs what creates an application. The code of extensions runs in it: whatever fails there is shown as it is, below a line
 * that says which there are.
 * @throws InvalidConfigurationError
 */
export async function nameExtensions<Result>(extensions: Extensions, create: () => Promise<Result>): Promise<Result> {
  try {
    return await create();
  } catch (cause) {
    const isExplained = cause instanceof InvalidConfigurationError || isDatabaseUnavailable(cause);
    if (isExplained || extensions.all.length === 0) throw cause;
    const error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    throw new InvalidConfigurationError([extensions.describe(), error], { cause });
  }
}

/** The settings of the extensions, by their classes. */
function settingsProviders({ settings }: Extensions): Provider[] {
  return [...settings].map(([type, values]) => ({ provide: type, useValue: values }));
}

const lookupSourcesOf = (extensions: Extensions) =>
  portProvider(extensions, EXTENSION_LOOKUP_SOURCES, 'lookupSources', (_, source) => source);

type PortMember = keyof typeof PORTS;
type ClassIn<Member extends PortMember> =
  NonNullable<Extension[Member]> extends readonly (infer Class)[] ? Class : NonNullable<Extension[Member]>;
type InstanceIn<Member extends PortMember> =
  ClassIn<Member> extends Type<infer Instance extends object> ? Instance : never;

/** All instances that the extensions declare for a port, in order, under one token. */
function portProvider<Member extends PortMember, Entry>(
  { all }: Extensions,
  token: string,
  member: Member,
  toEntry: (extension: string, instance: InstanceIn<Member>) => Entry,
): FactoryProvider<readonly Entry[]> {
  const types = all.flatMap((extension) =>
    [extension[member] ?? []].flat().map((type) => ({ name: extension.name, type: type as Type<InstanceIn<Member>> })),
  );
  return {
    provide: token,
    inject: types.map(({ type }) => type),
    useFactory: (...instances: InstanceIn<Member>[]) => {
      const named = types.map(({ name }, at) => ({ extension: name, instance: instances[at] as InstanceIn<Member> }));
      refuseWrongInstances(named);
      return named.map(({ extension, instance }) => toEntry(extension, instance));
    },
  };
}

/** @throws InvalidConfigurationError for names and filters that only an instance knows */
function refuseWrongInstances(named: readonly { readonly extension: string; readonly instance: object }[]): void {
  const problems = [
    ...named.flatMap(({ extension, instance }) => findInstanceProblems(extension, instance)),
    ...findTaskNameClashes(named),
  ];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
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
      // Never taken for an error of ours, such as a name that is watched already. The code that records the change
      // logs it.
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
