import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { AccountLifecycle, Administration } from '../auth/index.js';
import type { Config } from '../config/config.js';
import { migrate } from './migrate.js';
import { NotificationsRemovalModule } from '../notifications/notifications-removal.module.js';
import { ormOptions } from './orm.js';
import { type Resealed, ResealSecrets } from '../platform/crypto/reseal-secrets.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { PlatformModule } from '../platform/platform.module.js';
import { Statements } from '../platform/database/sql-client.js';
import { WatchlistRemovalModule } from '../watchlist/watchlist-removal.module.js';

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

export interface StoredSecrets {
  /** Seals all of them with the current master key, whose id it tells. */
  reseal(): Promise<{ keyId: string; kinds: readonly Resealed[] }>;
}

interface OpenAdministration {
  readonly run: Administration;
  readonly accounts: AccountLifecycle;
  readonly secrets: StoredSecrets;
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
  const secrets = storedSecrets(config, context.get(Statements, OWN));
  return { run, accounts, secrets, close: () => context.close() };
}

function storedSecrets({ masterKeys }: Config, statements: Statements): StoredSecrets {
  return {
    reseal: async () => {
      const box = new SecretBox(masterKeys);
      return { keyId: box.currentKeyId, kinds: await new ResealSecrets(statements, box).run() };
    },
  };
}
