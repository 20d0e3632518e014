import { type DynamicModule, Module } from '@nestjs/common';
import { AuthApiModule } from '../auth/auth-api.module.js';
import { DomainsApiModule } from '../domains/domains-api.module.js';
import { ExtensionsApiModule } from '../extensions/extensions.controller.js';
import type { Extensions } from '../extensions/extensions.js';
import { IdempotencyModule } from '../platform/idempotency/idempotency.service.js';
import { NotificationsApiModule } from '../notifications/notifications-api.module.js';
import { WatchlistApiModule } from '../watchlist/watchlist-api.module.js';

/** The routes of all modules. Only a process with an API loads this file, because routes take much memory. */
@Module({})
export class ApiModule {
  static register(extensions: Extensions): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        { module: AuthApiModule, global: true }, // global, because routes of all modules use its rate limits
        ExtensionsApiModule.register(extensions),
        IdempotencyModule,
        DomainsApiModule,
        WatchlistApiModule,
        NotificationsApiModule,
      ],
    };
  }
}
