import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './deliveries.repository.js';
import type { FinishedAttempt } from './attempt-context.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { type NextAttempts, StartNextAttempts } from './start-next-attempts.js';

/** `refilled`: recorded, and what its host had room for has been started as well. */
export type SuccessRecord = 'recorded' | 'refilled' | 'skipped';

/**
 * Stores successes by one statement per batch. In a process that makes attempts, the same transaction claims and starts the
 * next ones at these hosts, so that a slot waits for one round trip and not for two. A failed batch is repeated one by
 * one, without claims, as is one success alone: also when another process holds the lock of claims for long.
 */
@Injectable()
export class RecordSuccesses {
  private readonly batches = new Batcher<FinishedAttempt, SuccessRecord>(
    (batch) => (batch.length > 1 && this.makeNext ? this.recordAndStart(batch, this.makeNext) : this.record(batch)),
    { isolates: true },
  );
  private makeNext: ((next: NextAttempts) => void) | null = null;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly startNext: StartNextAttempts,
  ) {}

  /** @param listener makes the attempts that start from now on; null: none start any more */
  onNext(listener: ((next: NextAttempts) => void) | null): void {
    this.makeNext = listener;
  }

  /** @returns `skipped` for one that needs a unit of work, or whose lease expired */
  run(finished: FinishedAttempt): Promise<SuccessRecord> {
    return this.batches.submit(finished);
  }

  private async recordAndStart(batch: readonly FinishedAttempt[], makeNext: (next: NextAttempts) => void) {
    const hosts = [...new Set(batch.map(({ context }) => context.delivery.host))];
    const { delivered, next } = await this.startNext.runAfter(toSucceeded(batch), hosts);
    makeNext(next);
    return toRecords(batch, delivered, 'refilled');
  }

  private async record(batch: readonly FinishedAttempt[]) {
    return toRecords(batch, await this.deliveries.markDelivered(toSucceeded(batch)), 'recorded');
  }
}

function toSucceeded(batch: readonly FinishedAttempt[]) {
  return batch.map(({ context: { claim }, attempt }) => ({ claim, attempt }));
}

function toRecords(batch: readonly FinishedAttempt[], delivered: ReadonlySet<string>, record: SuccessRecord) {
  return batch.map(({ context }) => (delivered.has(context.claim.token) ? record : 'skipped'));
}
