import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { RedisConnection } from '../../platform/redis/redis-connection.js';

export interface TokenGrant {
  /** The number of granted tokens, from 0 up to the requested number. */
  readonly tokens: number;
  readonly remaining: number;
  /** Milliseconds until the minute ends. */
  readonly waitMs: number;
}

/** How many of the limit's tokens were free, and in how many milliseconds the minute ends. */
interface Taken {
  readonly free: number;
  readonly waitMs: number;
}

/**
 * Takes tokens from a window of one minute. A window starts when its first token is taken. A new window starts after
 * the end of the old window, or if the server's clock was set back. `$1` is the key, `$2` the wanted tokens, `$3` the
 * limit, `$4` the length of a window in seconds.
 */
const TAKE = {
  name: 'rate_limit_windows_take',
  text: `
    insert into rate_limit_windows as w (key, used, ends_at)
    values ($1, $2::int, clock_timestamp() + make_interval(secs => $4))
    on conflict (key) do update set (used, ends_at) = (
      select case when is_over then $2::int else w.used + $2::int end,
             case when is_over then clock_timestamp() + make_interval(secs => $4) else w.ends_at end
      from (select w.ends_at <= clock_timestamp()
                or w.ends_at > clock_timestamp() + make_interval(secs => $4) as is_over) c)
    returning greatest(0, $3::int - (used - $2::int)) as free,
              ceil(extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as "waitMs"`,
};
/**
 * Takes tokens from a window in Redis, as `TAKE` does in PostgreSQL. The arguments are the wanted tokens, the limit,
 * and the length of a window in seconds.
 */
const TAKE_IN_REDIS = `
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local wait = redis.call('PTTL', KEYS[1])
if wait < 0 then
  wait = ARGV[3] * 1000
  redis.call('PEXPIRE', KEYS[1], wait)
end
return { math.max(0, ARGV[2] - (used - ARGV[1])), wait }
`;

/**
 * Expired windows are deleted in batches, and rows in use are skipped. So requests do not wait long for the deletion.
 */
const PRUNE_BATCH_SIZE = 1_000;
const PRUNE = {
  name: 'rate_limit_windows_prune',
  text: `delete from rate_limit_windows where key = any(array(
           select key from rate_limit_windows where ends_at < clock_timestamp() limit ${PRUNE_BATCH_SIZE}
           for update skip locked)) returning 1`,
};

/**
 * The share of a limit that one process grants while the shared store is unavailable. With half of a limit each, two
 * processes stay within the limit.
 */
const LOCAL_SHARE = 0.5;
/**
 * The windows that this process counts alone. Each window ends a minute after its first token, and later tokens do not
 * prolong the window.
 */
const LOCAL_WINDOWS = { max: 10_000, ttl: MINUTE, noUpdateTTL: true };
/**
 * If the shared store does not answer in time, this process counts alone and asks again only after five seconds. The
 * timeout is long, because a slow store (100 ms for a statement) must still be used.
 */
const OUTAGE_OPTIONS = { timeoutMs: 1_000, retryAfterMs: 5_000 };

/** Limits what an account, or an address without a valid key, may do in a minute. All processes share the counts. */
export class MinuteLimits {
  private readonly log = new Logger(MinuteLimits.name);
  /** The tokens that were requested from this process while the shared store was unavailable, by holder and limit. */
  private readonly askedHere = new LRUCache<string, number>(LOCAL_WINDOWS);
  private unavailableUntil = -Infinity;

  constructor(
    private readonly redis: RedisConnection,
    private readonly sqlClient: SqlClient,
    private readonly options = OUTAGE_OPTIONS,
  ) {}

  /** Takes up to this many tokens. Never rejects. Without the shared store, this process grants half of the limit. */
  async take(holder: string, limit: number, tokens: number): Promise<TokenGrant> {
    if (performance.now() >= this.unavailableUntil)
      try {
        return toGrant(tokens, await withTimeout(this.options.timeoutMs, this.takeFromStore(holder, limit, tokens)));
      } catch (error) {
        this.unavailableUntil = performance.now() + this.options.retryAfterMs;
        this.log.warn(`rate limit store unavailable, granting half of each limit: ${(error as Error).message}`);
      }
    return toGrant(tokens, this.takeLocally(holder, limit, tokens));
  }

  private async takeFromStore(holder: string, limit: number, tokens: number): Promise<Taken> {
    const { client } = this.redis;
    const parameters = [tokens, limit, MINUTE / SECOND];
    if (client === null) {
      const [row] = await this.sqlClient.run<Taken>(TAKE, [holder, ...parameters]);
      if (!row) throw new Error(`${TAKE.name} returned no row`);
      return row;
    }
    if (client.status !== 'ready') throw new Error('Redis is not connected');
    const answer = await client.eval(TAKE_IN_REDIS, 1, `namewatch:minute:${holder}`, ...parameters);
    const [free, waitMs] = answer as [number, number];
    return { free, waitMs };
  }

  private takeLocally(holder: string, limit: number, tokens: number): Taken {
    const key = `${holder} ${limit}`;
    const share = Math.max(1, Math.floor(limit * LOCAL_SHARE));
    const used = this.askedHere.get(key) ?? 0;
    this.askedHere.set(key, used + tokens);
    return { free: Math.max(0, share - used), waitMs: this.askedHere.getRemainingTTL(key) };
  }

  /** Deletes expired windows from PostgreSQL. Redis deletes expired windows by itself. */
  async purgeExpired(): Promise<void> {
    if (this.redis.client) return;
    while ((await this.sqlClient.run(PRUNE)).length === PRUNE_BATCH_SIZE);
  }
}

function toGrant(wanted: number, { free, waitMs }: Taken): TokenGrant {
  const tokens = Math.min(free, wanted);
  return { tokens, remaining: free - tokens, waitMs: Math.max(0, waitMs) };
}
