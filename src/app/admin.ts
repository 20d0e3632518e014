import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { AccountLifecycle, AccountAdminService, LoadPlans } from '../auth/index.js';
import type { Config } from '../config/config.js';
import { Extensions } from '../extensions/extensions.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { migrate } from './migrate.js';
import { NotificationsRemovalModule } from '../notifications/notifications-removal.module.js';
import { ormOptions } from './orm.js';
import { type ResealResult, ResealSecrets } from '../platform/crypto/reseal-secrets.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { PlatformModule } from '../platform/platform.module.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { WatchlistRemovalModule } from '../watchlist/watchlist-removal.module.js';

/** Accounts and keys only, for the command line: no queue, no HTTP, no work of its own, and none of it loaded. */
@Module({})
class AdminCliModule {
  static forConfig(config: Config, extensions: Extensions): DynamicModule {
    const platform = PlatformModule.forRoot(config, ormOptions(config, extensions));
    const added = ExtensionsModule.register(extensions, 'worker');
    const removal = [WatchlistRemovalModule, NotificationsRemovalModule];
    return { module: AdminCliModule, imports: [platform, added, AuthModule, ...removal] };
  }
}

const NON_STRICT = { strict: false };

export interface StoredSecrets {
  /** Seals all of them with the current master key. */
  reseal(): Promise<{ keyId: string; kinds: readonly ResealResult[] }>;
}

interface AdminContext {
  readonly admin: AccountAdminService;
  readonly accounts: AccountLifecycle;
  readonly secrets: StoredSecrets;
  readonly close: () => Promise<void>;
}

/** Accounts and keys without a running service, straight on the database. */
export async function openAdminContext(config: Config, extensions = Extensions.none): Promise<AdminContext> {
  await migrate(config, extensions);
  const context = await NestFactory.createApplicationContext(AdminCliModule.forConfig(config, extensions), {
    logger: ['error'],
    abortOnError: false, // the caller reports errors
  });
  await loadPlans(context);
  const [admin, accounts] = [context.get(AccountAdminService, NON_STRICT), context.get(AccountLifecycle, NON_STRICT)];
  const secrets = createStoredSecrets(config, context.get(SqlClient, NON_STRICT));
  return { admin, accounts, secrets, close: () => context.close() };
}

/** A leaked key must be revocable while the source of the plans is unusable. */
async function loadPlans(context: INestApplicationContext): Promise<void> {
  try {
    await context.get(LoadPlans, NON_STRICT).run();
  } catch (error) {
    new Logger('Plans').error(`${(error as Error).message}: only the plans of the settings are known`);
  }
}

function createStoredSecrets({ masterKeys }: Config, statements: SqlClient): StoredSecrets {
  return {
    reseal: async () => {
      const box = new SecretBox(masterKeys);
      return { keyId: box.currentKeyId, kinds: await new ResealSecrets(statements, box).run() };
    },
  };
}
