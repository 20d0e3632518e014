import { Injectable } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../../kernel/clock.js';
import { CHANGES_LOOKBACK_MS, CLOCK_SKEW_MS, LookupCoordinator, MAX_LOOKUP_MS } from './lookup-coordinator.js';
import { LookupCache } from './lookup-cache.js';

/** So many take less than a millisecond; requests have their turn between them. */
const CHANGES_PER_TURN = 1_000;

/**
 * Evicts names that another process observed to have changed, so that a check agrees with a watch that a worker updated.
 * Reads only what the last poll cannot have read, and what concerns a lookup that was stored since: to read ten seconds
 * every second makes all checks of that moment wait. Clears the cache after an outage that was longer than half of
 * CHANGES_LOOKBACK_MS, and while observations may be from before the clock was put back: an hour later they would look
 * like new ones.
 */
@Injectable()
export class CacheInvalidationPoller {
  private lastPollAt: number;
  private since: Date | null = null;
  private readonly putBack: PutBackDetector;

  constructor(
    private readonly coordinator: LookupCoordinator,
    private readonly cache: LookupCache,
    private readonly clock: Clock,
  ) {
    this.lastPollAt = clock.now().getTime();
    this.putBack = new PutBackDetector(clock);
  }

  async poll(): Promise<void> {
    const startedAt = this.clock.now().getTime(); // counts what the machine slept, which timers do not
    const wasAway = Math.abs(startedAt - this.lastPollAt) > CHANGES_LOOKBACK_MS / 2;
    if (this.putBack.wasPutBack() || wasAway) this.cache.clear();
    // An observation that is older than any lookup takes was read from the shared table, just now.
    const sinceMs = this.since?.getTime() ?? -Infinity;
    const oldestStoredMs = this.cache.takeOldestStored(sinceMs - MAX_LOOKUP_MS);
    if (this.cache.isEmpty) {
      this.since = null;
      this.lastPollAt = startedAt;
      return;
    }
    // A slow lookup may be stored after a change that another process observed meanwhile was read.
    if (this.since) this.since = new Date(Math.min(sinceMs, oldestStoredMs - CLOCK_SKEW_MS));
    const { names, settledUntil } = await this.coordinator.findChanges(this.since);
    let evicted = 0;
    for (const { domain, observedAtMs } of names) {
      if ((evicted += 1) % CHANGES_PER_TURN === 0) await new Promise(setImmediate);
      this.cache.evictOlder(domain, observedAtMs);
    }
    this.since = settledUntil;
    this.lastPollAt = startedAt;
  }
}

/** A move by less is a correction. */
const TOLERANCE_MS = 10 * SECOND;
/** Processes read the database's time every half minute; so long some may still write times of the clock before. */
const NOTICED_BY_ALL_MS = 2 * MINUTE;

/** Notices that the clock was put back, by the monotonic timer, if it is asked every few seconds. */
class PutBackDetector {
  private last: { readonly nowMs: number; readonly elapsedMs: number } | null = null;
  private noticedAt = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** Whether it was put back within the last two minutes. */
  wasPutBack(): boolean {
    const current = { nowMs: this.clock.now().getTime(), elapsedMs: performance.now() };
    const { last } = this;
    this.last = current;
    if (last && current.nowMs - last.nowMs < current.elapsedMs - last.elapsedMs - TOLERANCE_MS)
      this.noticedAt = current.elapsedMs;
    return current.elapsedMs - this.noticedAt < NOTICED_BY_ALL_MS;
  }
}
