import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { AccountLifecycle, Administration } from './auth/index.js';
import type { Config } from './config.js';
import { migrate } from './migrate.js';
import { NotificationsRemovalModule } from './notifications/notifications-removal.module.js';
import { ormOptions } from './orm.js';
import { PlatformModule } from './platform/platform.module.js';
import { WatchlistRemovalModule } from './watchlist/watchlist-removal.module.js';

/** Accounts and keys only, for the command line: no queue, no HTTP, no work of its own, and none of it loaded. */
@Module({})
class AdministrationModule {
  static of(config: Config): DynamicModule {
    const platform = PlatformModule.forRoot(config, ormOptions(config));
    const removal = [WatchlistRemovalModule, NotificationsRemovalModule];
    return { module: AdministrationModule, imports: [platform, AuthModule, ...removal] };
  }
}

const OWN = { strict: false };

interface OpenAdministration {
  readonly run: Administration;
  readonly accounts: AccountLifecycle;
  readonly close: () => Promise<void>;
}

/** Accounts and keys without a running service, straight on the database. */
export async function administration(config: Config): Promise<OpenAdministration> {
  await migrate(config);
  const context = await NestFactory.createApplicationContext(AdministrationModule.of(config), {
    logger: ['error'],
    abortOnError: false, // what goes wrong is the caller's to tell
  });
  const [run, accounts] = [context.get(Administration, OWN), context.get(AccountLifecycle, OWN)];
  return { run, accounts, close: () => context.close() };
}
