import { Global, Module } from '@nestjs/common';
import { ForgetReplies } from './purge-responses.js';
import { KeptReplies } from './idempotency-store.js';
import { RepeatedRequests } from './idempotency.service.js';

/** For processes that serve the API. */
@Global()
@Module({ providers: [KeptReplies, RepeatedRequests, ForgetReplies], exports: [RepeatedRequests] })
export class IdempotencyModule {}
