import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Extension } from '../extensions/extension.js';
import { Namewatch, type NamewatchConfig, type NamewatchOptions, toConfig } from './namewatch.js';

/**
 * Migrates the database, then starts all that the role says, in this process.
 * @throws InvalidConfigurationError saying in a sentence what is wrong with a setting, an extension or the database
 */
export async function createNamewatch(config: NamewatchConfig, options: NamewatchOptions): Promise<Namewatch> {
  // Loaded here, since extensions import this file in commands that serve nothing.
  const { MountedNamewatch } = await import('./mounted-namewatch.js');
  return MountedNamewatch.start(toConfig(config), options);
}

/** The options of `forRoot` beside the `path`; the factory of `forRootAsync` returns them. */
export interface NamewatchModuleOptions {
  /** The result of `readNamewatchConfig()`. */
  readonly config: NamewatchConfig;
  /** Added to those of the setting EXTENSIONS. */
  readonly extensions?: readonly Extension[];
}

const MOUNT_PATH = Symbol('namewatch.path');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<NamewatchModuleOptions>()
  .setClassMethodName('forRoot')
  .setExtras({ path: '/namewatch' }, (definition, { path }) => ({
    ...definition,
    providers: [...(definition.providers ?? []), { provide: MOUNT_PATH, useValue: path }],
  }))
  .build();

const namewatch = {
  provide: Namewatch,
  inject: [MODULE_OPTIONS_TOKEN, MOUNT_PATH],
  useFactory: ({ config, extensions = [] }: NamewatchModuleOptions, path: string) =>
    createNamewatch(config, { extensions, path }),
};

/**
 * Namewatch at a path of another Nest application, on Fastify or Express. It has a container, a database connection and
 * queues of its own; its routes have none of the host's guards, pipes, filters, prefixes and middleware. Its `Namewatch`
 * can be injected.
 */
@Module({ providers: [namewatch], exports: [namewatch] })
export class NamewatchModule extends ConfigurableModuleClass implements BeforeApplicationShutdown {
  constructor(
    private readonly namewatch: Namewatch,
    @Inject(HttpAdapterHost) { httpAdapter }: Partial<HttpAdapterHost>,
  ) {
    super();
    // Before the host's body parser. An application without HTTP runs the other roles.
    httpAdapter?.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (!namewatch.handle(request, response)) next();
    });
  }

  /** Runs before the host closes its server: requests under way are answered first. */
  beforeApplicationShutdown(): Promise<void> {
    return this.namewatch.close();
  }
}
