import { Global, Module } from '@nestjs/common';
import { GuardedHttp } from './infrastructure/channels/guarded-http.js';
import { SelfAddressGuard } from './infrastructure/channels/self-address-guard.js';
import { WebhookGuard } from './infrastructure/channels/webhook-guard.js';

/** Global, so that the senders of extensions inject the same client as webhooks. */
@Global()
@Module({ providers: [GuardedHttp, WebhookGuard, SelfAddressGuard], exports: [GuardedHttp] })
export class GuardedHttpModule {}
