import { type DynamicModule, Module, type OnModuleDestroy } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { RetentionModule } from '../platform/scheduling/retention.js';
import { AccountDeletionModule, PlanReloadModule } from '../auth/auth.module.js';
import type { Config } from '../config/config.js';
import { NotificationsRemovalModule } from '../notifications/notifications-removal.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { Extensions } from '../extensions/extensions.js';
import { ExtensionTasks, ExtensionTasksModule } from '../extensions/extension-tasks.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { OrmPools } from '../platform/database/pools.js';
import { ormOptions } from './orm.js';
import { MetricsServer } from '../platform/metrics/metrics-server.js';
import { HttpModule } from '../platform/http/http.module.js';
import { HealthProbes } from '../platform/http/health-probes.js';
import { Heartbeat } from '../platform/processes/heartbeat.js';
import { PlatformModule } from '../platform/platform.module.js';
import { RedisModule } from '../platform/redis/redis-connection.js';
import { includesRole, type ProcessRole } from '../config/process-role.js';
import { WatchlistRemovalModule } from '../watchlist/watchlist-removal.module.js';
import { WatchlistModule } from '../watchlist/watchlist.module.js';

const ACCOUNT_DELETION = [AccountDeletionModule, WatchlistRemovalModule, NotificationsRemovalModule];

/** Assembles the platform and the modules that the role of this process needs. */
@Module({})
export class AppModule implements OnModuleDestroy {
  constructor(private readonly tasks: ExtensionTasks) {}

  /** Stops extension tasks first at a shutdown, so that they end while other modules finish their work. */
  onModuleDestroy(): void {
    this.tasks.stop();
  }

  static forConfig(config: Config, extensions = Extensions.none): DynamicModule {
    const { role, sending } = config;
    const pools = new OrmPools();
    return {
      module: AppModule,
      // Not in PlatformModule, because commands use that module. A command must not open the metrics port or report
      // itself as running.
      providers: [MetricsServer, Heartbeat],
      imports: [
        PlatformModule.forRoot(config, ormOptions(config, extensions, pools), pools),
        ExtensionsModule.register(extensions, role),
        ExtensionTasksModule,
        HttpModule,
        publicRoutes(role),
        RedisModule,
        ScheduleModule.forRoot(),
        RetentionModule,
        PlanReloadModule,
        ...(includesRole(role, 'scheduler') ? ACCOUNT_DELETION : []),
        ...(includesRole(role, 'api') ? [routes(extensions)] : []),
        WatchlistModule.register(role),
        NotificationsModule.register(role, sending),
      ],
    };
  }
}

/** Serves routes that need no key: health probes, and with the role `api` also the pages that explain error codes. */
@Module({})
class PublicRoutesModule {}

async function publicRoutes(role: ProcessRole): Promise<DynamicModule> {
  if (!includesRole(role, 'api')) return { module: PublicRoutesModule, controllers: [HealthProbes] };
  const { HealthController, ProblemsController } = await import('../platform/http/public.controllers.js');
  return { module: PublicRoutesModule, controllers: [HealthController, ProblemsController] };
}

async function routes(extensions: Extensions): Promise<DynamicModule> {
  const { ApiModule } = await import('./api.module.js');
  return ApiModule.register(extensions);
}
