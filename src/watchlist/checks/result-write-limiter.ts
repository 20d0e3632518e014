import { Injectable } from '@nestjs/common';
import { WorkerConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';

/** Concurrent transactions: more would only wait for connections. */
const MAX_CONCURRENT_WRITES = 8;
const RETRY_DELAY_MS = SECOND / 4;

/**
 * Limits concurrent writes of results, and retries them for half a lease while the database is unavailable: otherwise
 * the registry would be queried again after the lease.
 */
@Injectable()
export class ResultWriteLimiter {
  private readonly concurrency: number;
  private readonly retryForMs: number;
  private inFlight = 0;
  private readonly waiting: (() => void)[] = [];

  constructor({ databasePool, leaseSeconds }: WorkerConfig) {
    this.concurrency = Math.min(MAX_CONCURRENT_WRITES, databasePool);
    this.retryForMs = (leaseSeconds * SECOND) / 2;
  }

  /** @param write idempotent: it ends a lease, and writes nothing without one */
  async run<Result>(write: () => Promise<Result>): Promise<Result> {
    const retryUntil = performance.now() + this.retryForMs;
    if (this.inFlight >= this.concurrency) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inFlight += 1;
    try {
      return await this.retryUntilStored(write, retryUntil);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.inFlight -= 1;
    }
  }

  private async retryUntilStored<Result>(write: () => Promise<Result>, retryUntil: number): Promise<Result> {
    for (;;)
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > retryUntil) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
  }
}
