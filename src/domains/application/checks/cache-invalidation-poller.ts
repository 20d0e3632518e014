import { Injectable } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { LookupCoordinator } from '../ports/lookup-coordinator.js';
import { LookupCache } from './lookup-cache.js';

/** Longer than the interval, to catch rows that were written before the last poll and committed after it. */
const LOOKBACK_MS = 10 * SECOND;

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
    for (const { domain, observedAt } of await this.coordinator.findChanges(LOOKBACK_MS / SECOND))
      this.cache.evictOlder(domain, observedAt);
    this.lastPollAt = startedAt;
  }
}
