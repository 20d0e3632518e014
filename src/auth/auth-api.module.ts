import { Module } from '@nestjs/common';
import { FailedAuthentications } from './application/auth-failure-limiter.js';
import { RequestLimits } from './application/request-limiter.js';
import { AuthModule } from './auth.module.js';
import { RequestTokens } from './domain/local-token-pool.js';
import { Identify } from './application/who-am-i.js';
import { KeysController } from './http/keys.controller.js';
import { MeController } from './http/me.controller.js';
import { StoredRequestTokens } from './infrastructure/shared-rate-limit-store.js';
import { PruneKeysTick } from './jobs/prune-keys-tick.js';
import { RequestLimitsTick } from './jobs/prune-rate-limits-tick.js';

/** The routes of keys, and what requests with keys are limited by, for processes that serve the API. */
@Module({
  imports: [AuthModule],
  controllers: [KeysController, MeController],
  providers: [
    FailedAuthentications,
    Identify,
    RequestLimits,
    RequestLimitsTick,
    PruneKeysTick,
    { provide: RequestTokens, useClass: StoredRequestTokens },
  ],
})
export class AuthApiModule {}
