import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import {
  AccountAdminService,
  AccountLifecycle,
  AuditTrail,
  invitationPath,
  LoadPlans,
  Members,
} from '../auth/index.js';
import type { Config } from '../config/config.js';
import { Extensions } from '../extensions/extensions.js';
import { ExtensionsModule, nameExtensions } from '../extensions/extensions.module.js';
import { migrate } from './migrate.js';
import { NotificationsRemovalModule } from '../notifications/notifications-removal.module.js';
import { ormOptions } from './orm.js';
import { UnitOfWork } from '../kernel/unit-of-work.js';
import { type Ask, masterKeyIds, resealDataKey } from '../platform/crypto/data-key.js';
import { PlatformModule } from '../platform/platform.module.js';
import { TransactionOrder } from '../platform/database/transaction-order.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { listProcesses, type LiveProcess } from './status.js';
import { WatchlistRemovalModule } from '../watchlist/watchlist-removal.module.js';

/** Provides accounts and keys to administration commands, without queues, HTTP or background work. */
@Module({})
class AdminCliModule {
  static forConfig(config: Config, extensions: Extensions): DynamicModule {
    const platform = PlatformModule.forRoot(config, ormOptions(config, extensions));
    const added = ExtensionsModule.register(extensions, 'worker');
    const removal = [WatchlistRemovalModule, NotificationsRemovalModule];
    const imports = [platform, added, AuthModule, ...removal];
    return { module: AdminCliModule, imports, providers: [TransactionOrder] };
  }
}

const NON_STRICT = { strict: false };

interface RotatedKey {
  readonly keyId: string;
  /**
   * false if the current master key had already encrypted the data key, or if a running process lacks this master key.
   */
  readonly isChanged: boolean;
  /**
   * Running processes that lack the current master key. After a rotation, these processes could not decrypt the data
   * key at a restart.
   */
  readonly lacking: readonly LiveProcess[];
}

export interface AdminContext {
  readonly admin: AccountAdminService;
  readonly accounts: AccountLifecycle;
  readonly members: Members;
  /** Returns the link that accepts an invitation. Without PUBLIC_URL, returns only the link's path. */
  readonly invitationLink: (token: string) => string;
  /** Encrypts (seals) the data key with the current master key, unless a running process lacks this master key. */
  readonly rotateMasterKey: () => Promise<RotatedKey>;
  readonly audit: AuditTrail;
  readonly close: () => Promise<void>;
}

/**
 * Migrates the database, then opens the services that administration commands use.
 * @param operator the user who runs the command, for the audit trail
 */
export async function openAdminContext(
  config: Config,
  extensions = Extensions.none,
  operator: string | null = null,
): Promise<AdminContext> {
  await migrate(config, extensions);
  const context = await createContext(config, extensions);
  const audit = context.get(AuditTrail, NON_STRICT);
  audit.runAs({ type: 'cli', id: null, name: operator });
  await loadPlans(context);
  return {
    admin: context.get(AccountAdminService, NON_STRICT),
    accounts: context.get(AccountLifecycle, NON_STRICT),
    members: context.get(Members, NON_STRICT),
    invitationLink: (token) => `${config.publicUrl?.replace(/\/+$/, '') ?? ''}${invitationPath(token)}`,
    rotateMasterKey: () => rotateMasterKey(config, context),
    audit,
    close: () => context.close(),
  };
}

async function createContext(config: Config, extensions: Extensions): Promise<INestApplicationContext> {
  const options = { logger: ['error' as const], abortOnError: false };
  try {
    return await nameExtensions(extensions, () =>
      NestFactory.createApplicationContext(AdminCliModule.forConfig(config, extensions), options),
    );
  } catch (error) {
    // Logs nothing more: the command stops the embedded database next, and open connections would log errors.
    Logger.overrideLogger(false);
    throw error;
  }
}

/** Only logs a failure, because an operator must be able to revoke a leaked key even if no plans can be loaded. */
async function loadPlans(context: INestApplicationContext): Promise<void> {
  try {
    await context.get(LoadPlans, NON_STRICT).load();
  } catch (error) {
    new Logger('Plans').error(`${(error as Error).message}: only the plans of the settings are known`);
  }
}

/** Changes only the encrypted data key, in one transaction. If the process dies meanwhile, secrets stay readable. */
async function rotateMasterKey({ masterKeys }: Config, context: INestApplicationContext): Promise<RotatedKey> {
  const sqlClient = context.get(SqlClient, NON_STRICT);
  const audit = context.get(AuditTrail, NON_STRICT);
  const ask: Ask = (text, values) => sqlClient.run({ name: '', text }, values);
  return context.get(UnitOfWork, NON_STRICT).run(async () => {
    const [keyId = ''] = masterKeyIds(masterKeys);
    const lacking = (await listProcesses(ask)).filter((one) => !one.isSilent && !one.masterKeys.includes(keyId));
    const isChanged = lacking.length === 0 && (await resealDataKey(ask, masterKeys));
    if (isChanged)
      await audit.record({ action: 'secrets.resealed', accountId: null, targetId: null, after: { key_id: keyId } });
    return { keyId, isChanged, lacking };
  });
}
