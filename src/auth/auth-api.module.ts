import { Module, type NestModule } from '@nestjs/common';
import { AuthFailureLimiter } from './authentication/auth-failure-limiter.js';
import { RequestLimiter } from './authentication/request-limiter.js';
import { SecretLinkLimiter } from './authentication/secret-link-limiter.js';
import { AuthModule } from './auth.module.js';
import { CursorSeal } from '../platform/crypto/cursor-seal.js';
import { RedisConnection } from '../platform/redis/redis-connection.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { RefusedAuthentications } from './authentication/refused-authentications.js';
import { MeController } from './accounts/me.controller.js';
import { RequestAuthentication } from './authentication/authentication.js';
import { AuditController } from './audit/audit.controller.js';
import { KeysController } from './accounts/keys.controller.js';
import { MinuteLimits } from './authentication/minute-limits.js';
import { API_TASKS } from './auth-tasks.js';

/** Routes for keys and rate limits of requests, for processes that serve the API. */
@Module({
  imports: [AuthModule],
  controllers: [KeysController, MeController, AuditController],
  providers: [
    AuthFailureLimiter,
    CursorSeal,
    RequestLimiter,
    RefusedAuthentications,
    SecretLinkLimiter,
    ...API_TASKS,
    {
      provide: MinuteLimits,
      inject: [RedisConnection, SqlClient],
      useFactory: (redis: RedisConnection, statements: SqlClient) => new MinuteLimits(redis, statements),
    },
  ],
  exports: [SecretLinkLimiter],
})
export class AuthApiModule implements NestModule {
  constructor(
    private readonly authentication: RequestAuthentication,
    private readonly requests: RequestLimiter,
    private readonly failures: AuthFailureLimiter,
    private readonly refused: RefusedAuthentications,
  ) {}

  configure(): void {
    const { requests, failures, refused } = this;
    this.authentication.limitWith({ requests, failures, refused });
  }
}
