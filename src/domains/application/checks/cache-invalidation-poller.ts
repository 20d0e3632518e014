import { Injectable } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { LookupCoordinator } from '../ports/lookup-coordinator.js';
import { LookupCache } from './lookup-cache.js';

/** Longer than the interval, to catch rows that were written before the last poll and committed after it. */
const LOOKBACK_MS = 10 * SECOND;

/** So many take less than a millisecond; requests have their turn between them. */
const CHANGES_PER_TURN = 1_000;

/**
 * Evicts names that another process observed to have changed, so that a check agrees with a watch that a worker updated.
 * Clears the cache after an outage that was longer than half of LOOKBACK_MS.
 */
@Injectable()
export class CacheInvalidationPoller {
  private lastPollAt = performance.now();

  constructor(
    private readonly coordinator: LookupCoordinator,
    private readonly cache: LookupCache,
  ) {}

  async poll(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt - this.lastPollAt > LOOKBACK_MS / 2) this.cache.clear();
    if (this.cache.isEmpty) return void (this.lastPollAt = startedAt);
    let evicted = 0;
    for (const { domain, observedAtMs } of await this.coordinator.findChanges(LOOKBACK_MS / SECOND)) {
      if ((evicted += 1) % CHANGES_PER_TURN === 0) await new Promise(setImmediate);
      this.cache.evictOlder(domain, observedAtMs);
    }
    this.lastPollAt = startedAt;
  }
}
