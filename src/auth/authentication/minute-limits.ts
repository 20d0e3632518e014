import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import type { SqlClient } from '../../platform/database/sql-client.js';

interface Asked {
  readonly holder: string;
  readonly limit: number;
}

export interface Admission {
  readonly isAdmitted: boolean;
  readonly remaining: number;
  /** Milliseconds until the minute ends, at least 1. */
  readonly waitMs: number;
}

/** How much of a limit is used in the current minute, and in how many milliseconds this minute ends. */
interface Window {
  readonly used: number;
  readonly waitMs: number;
}

/** `order by key` prevents deadlocks between transactions. If the clock was set back, a new window begins. */
const COUNT = {
  name: 'rate_limit_windows_count',
  text: `
    insert into rate_limit_windows as w (key, used, ends_at)
    select key, requests, clock_timestamp() + make_interval(secs => $3)
    from unnest($1::text[], $2::int[]) as asked(key, requests) order by key
    on conflict (key) do update set (used, ends_at) = (
      select case when is_over then excluded.used else w.used + excluded.used end,
             case when is_over then clock_timestamp() + make_interval(secs => $3) else w.ends_at end
      from (select w.ends_at <= clock_timestamp()
                or w.ends_at > clock_timestamp() + make_interval(secs => $3) as is_over) c)
    returning key, used, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as "waitMs"`,
};

/** Expired windows are deleted in batches, so that requests do not wait long for the deletion. */
const PRUNE_BATCH_SIZE = 1_000;

const PRUNE = {
  name: 'rate_limit_windows_prune',
  text: `delete from rate_limit_windows where key = any(array(
           select key from rate_limit_windows where ends_at < clock_timestamp() limit ${PRUNE_BATCH_SIZE}
           for update skip locked)) returning 1`,
};

/** The share of a limit that each process grants without the database, so that two processes stay within the limit. */
const LOCAL_SHARE = 0.5;
/** A window ends a minute after its first request. Later requests do not prolong it (`noUpdateTTL`). */
const LOCAL_WINDOWS = { max: 10_000, ttl: MINUTE, noUpdateTTL: true };
/** The timeout is long, because a slow database (100 ms for a statement) must still be used. */
const OUTAGE_OPTIONS = { timeoutMs: 1_000, retryAfterMs: 5_000 };

/** Limits requests in a minute by holder, such as an account or address. All processes share the counts. */
export class MinuteLimits {
  private readonly log = new Logger(MinuteLimits.name);
  /** One statement counts all requests that arrive while the statement before it runs. */
  private readonly batches = new Batcher((asked: readonly Asked[]) => this.countAll(asked));
  /** Used-up limits, until their minute ends. Meanwhile, further requests are refused without a database query. */
  private readonly usedUp = new LRUCache<string, true>({ max: 10_000 });
  /** The requests to this process while the database was unavailable, by holder and limit. */
  private readonly askedHere = new LRUCache<string, number>(LOCAL_WINDOWS);
  private unavailableUntil = -Infinity;

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly options = OUTAGE_OPTIONS,
  ) {}

  /** Counts a request. Never rejects. Without the database, this process grants half of the limit. */
  async admit(holder: string, limit: number): Promise<Admission> {
    const waitMs = this.blockedMs(holder, limit);
    if (waitMs > 0) return { isAdmitted: false, remaining: 0, waitMs };
    const admission = await this.batches.submit({ holder, limit });
    if (admission.remaining === 0) this.usedUp.set(toKey({ holder, limit }), true, { ttl: admission.waitMs });
    return admission;
  }

  /** Returns for how many milliseconds all requests of this holder are refused, as far as this process knows. */
  blockedMs(holder: string, limit: number): number {
    return Math.max(0, this.usedUp.getRemainingTTL(toKey({ holder, limit })));
  }

  private async countAll(asked: readonly Asked[]): Promise<Admission[]> {
    if (performance.now() >= this.unavailableUntil)
      try {
        return await withTimeout(this.options.timeoutMs, this.countInDatabase(asked));
      } catch (error) {
        this.unavailableUntil = performance.now() + this.options.retryAfterMs;
        this.log.warn(`no request limits from the database, granting half of each limit: ${(error as Error).message}`);
      }
    return asked.map((one) => this.countLocally(one));
  }

  private async countInDatabase(asked: readonly Asked[]): Promise<Admission[]> {
    const requests = new Map<string, number>();
    for (const { holder } of asked) requests.set(holder, (requests.get(holder) ?? 0) + 1);
    const values = [[...requests.keys()], [...requests.values()], MINUTE / SECOND];
    const rows = await this.sqlClient.run<Window & { key: string }>(COUNT, values);
    const windows = new Map(rows.map(({ key, ...window }) => [key, window]));
    return asked.map(({ holder, limit }) => {
      const [window, left] = [windows.get(holder), requests.get(holder)];
      if (!window || left === undefined) throw new Error(`the database did not count ${holder}`);
      requests.set(holder, left - 1);
      return toAdmission(limit, { ...window, used: window.used - left });
    });
  }

  private countLocally(asked: Asked): Admission {
    const key = toKey(asked);
    const used = this.askedHere.get(key) ?? 0;
    this.askedHere.set(key, used + 1);
    const share = Math.max(1, Math.floor(asked.limit * LOCAL_SHARE));
    return toAdmission(share, { used, waitMs: this.askedHere.getRemainingTTL(key) });
  }

  async purgeExpired(): Promise<void> {
    while ((await this.sqlClient.run(PRUNE)).length === PRUNE_BATCH_SIZE);
  }
}

function toKey({ holder, limit }: Asked): string {
  return `${holder} ${limit}`;
}

/** @param window the count before this request */
function toAdmission(limit: number, { used, waitMs }: Window): Admission {
  // `waitMs` is at least 1, because the cache `usedUp` would keep an entry with a lifetime of 0 forever.
  return { isAdmitted: used < limit, remaining: Math.max(0, limit - used - 1), waitMs: Math.max(1, waitMs) };
}
