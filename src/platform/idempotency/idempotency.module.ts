import { Global, Module } from '@nestjs/common';
import { MINUTE } from '../../kernel/clock.js';
import { periodicTask } from '../scheduling/periodic-task.js';
import { IdempotencyStore } from './idempotency-store.js';
import { IdempotencyService } from './idempotency.service.js';

const purgeResponses = periodicTask({
  name: 'purge-stored-responses',
  service: IdempotencyStore,
  intervalMs: 10 * MINUTE,
  run: (responses) => responses.purgeExpired(),
});

/** Imported by processes that serve the API. */
@Global()
@Module({ providers: [IdempotencyStore, IdempotencyService, purgeResponses], exports: [IdempotencyService] })
export class IdempotencyModule {}
