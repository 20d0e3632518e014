import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { LookupCoordinator } from '../ports/lookup-coordinator.js';
import { LookupCache } from './lookup-cache.js';

const POLL_INTERVAL_MS = SECOND;
/** Longer than the interval, to catch rows that were written before the last poll and committed after it. */
const LOOKBACK_MS = 10 * SECOND;

/**
 * Evicts names that another process observed to have changed, so that a check agrees with a watch that a worker updated.
 * Clears the cache after an outage that was longer than the look-back allows.
 */
@Injectable()
export class CacheInvalidationPoller implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(CacheInvalidationPoller.name);
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | null = null;
  private lastPollAt = performance.now();

  constructor(
    private readonly coordinator: LookupCoordinator,
    private readonly cache: LookupCache,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
  }

  /** Never rejects, and never runs concurrently. */
  poll(): Promise<void> {
    this.polling ??= this.invalidateChanged().finally(() => (this.polling = null));
    return this.polling;
  }

  private async invalidateChanged(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt - this.lastPollAt > LOOKBACK_MS / 2) this.cache.clear();
    if (this.cache.isEmpty) return void (this.lastPollAt = startedAt);
    try {
      for (const { domain, observedAt } of await this.coordinator.findChanges(LOOKBACK_MS / SECOND))
        this.cache.evictOlder(domain, observedAt);
      this.lastPollAt = startedAt;
    } catch (error) {
      this.log.warn(`changes observed by other processes not loaded: ${(error as Error).message}`);
    }
  }
}
