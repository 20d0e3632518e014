import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Extension } from '../extensions/extension.js';
import { Namewatch, type NamewatchConfig, type NamewatchOptions, toConfig } from './namewatch.js';

/**
 * Migrates the database, then does the work of the configured role in this process.
 * @throws InvalidConfigurationError if a setting, the path or an extension cannot be used
 */
export async function createNamewatch(config: NamewatchConfig, options: NamewatchOptions): Promise<Namewatch> {
  // Imports the service only when called, because extensions load this file even in commands that serve no requests.
  const { MountedNamewatch } = await import('./mounted-namewatch.js');
  return MountedNamewatch.start(toConfig(config), options);
}

/** The options of `forRoot` besides `path`. The factory of `forRootAsync` returns them. */
export interface NamewatchModuleOptions {
  /** The result of `readNamewatchConfig()`. */
  readonly config: NamewatchConfig;
  /** Extensions to load in addition to the setting EXTENSIONS. */
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
 * Serves Namewatch at a path of another Nest application. The other application's guards, pipes, filters, prefixes and
 * middleware do not apply there.
 */
@Module({ providers: [namewatch], exports: [namewatch] })
export class NamewatchModule extends ConfigurableModuleClass implements BeforeApplicationShutdown {
  constructor(
    private readonly namewatch: Namewatch,
    @Inject(HttpAdapterHost) { httpAdapter }: Partial<HttpAdapterHost>,
  ) {
    super();
    // This middleware runs before the host's body parser. A host without HTTP has no adapter: its Namewatch can only be
    // a worker or scheduler.
    httpAdapter?.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (!namewatch.handle(request, response)) next();
    });
  }

  /** Runs before the host closes its server, so that requests in progress are still answered. */
  beforeApplicationShutdown(): Promise<void> {
    return this.namewatch.close();
  }
}
