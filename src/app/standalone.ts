import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { EXTENSION_LOOKUP_SOURCES, type LookupSource, StandaloneLookup } from '../domains/index.js';
import { Extensions } from '../extensions/extensions.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { Clock, SystemClock } from '../kernel/clock.js';

/** Provides the lookup sources of extensions, with the configuration and the clock, but without a database. */
@Module({})
class StandaloneModule {
  static async forConfig(config: Config, extensions: Extensions): Promise<DynamicModule> {
    return {
      module: StandaloneModule,
      global: true,
      imports: [ConfigModule.forRoot(config), await ExtensionsModule.registerLookups(extensions)],
      providers: [{ provide: Clock, useClass: SystemClock }],
      exports: [Clock],
    };
  }
}

export interface StandaloneContext {
  readonly lookup: StandaloneLookup;
  readonly close: () => Promise<void>;
}

/**
 * Opens lookups with the sources of extensions, without a database.
 * @throws InvalidConfigurationError if a source cannot be created
 */
export async function openStandaloneContext(config: Config, extensions: Extensions): Promise<StandaloneContext> {
  if (extensions.collect('lookupSources').length === 0) {
    const lookup = new StandaloneLookup(config);
    return { lookup, close: () => lookup.close() };
  }
  const context = await createContext(config, extensions);
  try {
    const sources = context.get<readonly LookupSource[]>(EXTENSION_LOOKUP_SOURCES, { strict: false });
    const lookup = new StandaloneLookup(config, sources);
    const close = async () => {
      try {
        await lookup.close();
      } finally {
        await context.close();
      }
    };
    return { lookup, close };
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function createContext(config: Config, extensions: Extensions): Promise<INestApplicationContext> {
  try {
    return await NestFactory.createApplicationContext(await StandaloneModule.forConfig(config, extensions), {
      abortOnError: false, // the caller reports errors
    });
  } catch (cause) {
    if (cause instanceof InvalidConfigurationError) throw cause;
    const reason = (cause as Error).message.split('\n')[0];
    throw new InvalidConfigurationError([`the lookup sources need what only the service has: ${reason}`], { cause });
  }
}
