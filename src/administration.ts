import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { Administration } from './auth/index.js';
import type { Config } from './config.js';
import { migrate } from './migrate.js';
import { ormOptions } from './orm.js';
import { PlatformModule } from './platform/platform.module.js';

/** Accounts and keys only, for the command line: no queue, no HTTP, no work of its own, and none of it loaded. */
@Module({})
class AdministrationModule {
  static of(config: Config): DynamicModule {
    return { module: AdministrationModule, imports: [PlatformModule.forRoot(config, ormOptions(config)), AuthModule] };
  }
}

/** Accounts and keys without a running service, straight on the database. */
export async function administration(config: Config): Promise<{ run: Administration; close: () => Promise<void> }> {
  await migrate(config);
  const context = await NestFactory.createApplicationContext(AdministrationModule.of(config), {
    logger: ['error'],
    abortOnError: false, // what goes wrong is the caller's to tell
  });
  return { run: context.get(Administration, { strict: false }), close: () => context.close() };
}
