import { Global, Module } from '@nestjs/common';
import { GuardedHttp } from './domain/guarded-http.js';
import { UndiciGuardedHttp } from './channels/undici-guarded-http.js';
import { SelfAddressGuard, WebhookGuard } from './channels/webhook-guard.js';

/** Global, so that senders of extensions get the same HTTP client as webhooks. */
@Global()
@Module({
  providers: [{ provide: GuardedHttp, useClass: UndiciGuardedHttp }, WebhookGuard, SelfAddressGuard],
  exports: [GuardedHttp],
})
export class GuardedHttpModule {}
