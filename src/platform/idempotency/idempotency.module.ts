import { Global, Module } from '@nestjs/common';
import { PurgeResponses } from './purge-responses.js';
import { IdempotencyStore } from './idempotency-store.js';
import { IdempotencyService } from './idempotency.service.js';

/** Imported by processes that serve the API. */
@Global()
@Module({ providers: [IdempotencyStore, IdempotencyService, PurgeResponses], exports: [IdempotencyService] })
export class IdempotencyModule {}
