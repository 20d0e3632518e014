import { type DynamicModule, type FactoryProvider, Module, type Provider, type Type } from '@nestjs/common';
import { EXTENSION_AUTHENTICATORS, EXTENSION_PLAN_SOURCE, ScopeCatalogue } from '../auth/index.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import type { ProcessRole } from '../config/process-role.js';
import { EXTENSION_LOOKUP_SOURCES } from '../domains/index.js';
import { RegistryHttpModule } from '../domains/registry-http.module.js';
import { EXTENSION_CHANNEL_SENDERS } from '../notifications/index.js';
import { GuardedHttpModule } from '../notifications/guarded-http.module.js';
import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';
import { ProblemCatalogue } from '../platform/http/errors/problem-catalogue.js';
import { auditTrailOf } from './audit-trail.js';
import type { Extension } from './extension.js';
import { ExtensionCalls } from './extension-calls.js';
import { createEmptyModule, neededProviders, toNestModule } from './extension-modules.js';
import { EXTENSION_TASKS } from './extension-tasks.js';
import type { Extensions } from './extensions.js';
import { findInstanceProblems, findTaskNameClashes, type PORTS } from './port-problems.js';
import {
  AccountDataRegistration,
  EventSubscriptions,
  EXTENSION_ACCOUNT_DATA,
  EXTENSION_SUBSCRIBERS,
} from './registrations.js';

/** Provides the modules of the extensions, and lists of their instances by kind, such as lookup sources. */
@Module({})
export class ExtensionsModule {
  static register(extensions: Extensions, role: ProcessRole): DynamicModule {
    const problems = extensions.all.flatMap(({ problems: own = {} }) => Object.entries(own));
    const provided: Provider[] = [
      ...settingsProviders(extensions),
      auditTrailOf(extensions),
      ExtensionCalls,
      // These catalogues are for this application only, since another application in this process may have other
      // extensions.
      { provide: ScopeCatalogue, useValue: new ScopeCatalogue(extensions.collect('scopes')) },
      { provide: ProblemCatalogue, useValue: new ProblemCatalogue(Object.fromEntries(problems)) },
      lookupSourcesOf(extensions),
      portProvider(extensions, EXTENSION_CHANNEL_SENDERS, 'channelSenders', (_, sender) => sender),
      portProvider(extensions, EXTENSION_TASKS, 'tasks', (extension, task) => ({ extension, task })),
      portProvider(extensions, EXTENSION_PLAN_SOURCE, 'planSource', (extension, source) => ({ extension, source })),
      portProvider(extensions, EXTENSION_AUTHENTICATORS, 'authenticators', (extension, authenticator) => ({
        extension,
        authenticator,
      })),
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

  /** Provides only the lookup sources and their dependencies, for commands without a database. */
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
 * Names all extensions in an unexpected error of `create`, because any extension may have caused the error.
 * @throws InvalidConfigurationError if the error is unexpected and there are extensions
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

/**
 * Provides all instances of one kind, such as lookup sources, under one token. Keeps the order of the setting
 * EXTENSIONS.
 */
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

/**
 * Checks the instances, because only instances have the names of sources, channel types and tasks.
 * @throws InvalidConfigurationError with all problems, such as a wrong name or a missing method
 */
function refuseWrongInstances(named: readonly { readonly extension: string; readonly instance: object }[]): void {
  const problems = [
    ...named.flatMap(({ extension, instance }) => findInstanceProblems(extension, instance)),
    ...findTaskNameClashes(named),
  ];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}
