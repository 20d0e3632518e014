import { Global, Module } from '@nestjs/common';
import { GuardedHttp } from './channels/guarded-http.js';
import { WebhookGuard } from './channels/webhook-guard.js';

/** Global, so that the channel senders that an extension adds get the same HTTP client as webhooks. */
@Global()
@Module({
  providers: [GuardedHttp, WebhookGuard],
  exports: [GuardedHttp],
})
export class GuardedHttpModule {}
