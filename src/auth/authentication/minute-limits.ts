import { MINUTE, SECOND } from '../../kernel/clock.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { type OutageOptions, SharedTokens, type TokenGrant } from '../../platform/rate-limit/shared-tokens.js';
import type { RedisConnection } from '../../platform/redis/redis-connection.js';

/**
 * Takes tokens from a window of a minute, which starts with its first token. The window restarts after its end, or if
 * the server's clock was set back. `$3` is the limit, `$4` the length of a window in seconds.
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
const TAKE_IN_REDIS = `
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local wait = redis.call('PTTL', KEYS[1])
if wait < 0 then
  wait = ARGV[3] * 1000
  redis.call('PEXPIRE', KEYS[1], wait)
end
return { math.max(0, ARGV[2] - (used - ARGV[1])), wait }
`;
const MINUTE_WINDOW = {
  sql: TAKE,
  lua: TAKE_IN_REDIS,
  redisPrefix: 'namewatch:minute',
  outageMessage: 'rate limit store unavailable, granting half of each limit',
};

/** Deletes in batches and skips rows in use, so that requests do not wait long for the deletion. */
const PRUNE_BATCH_SIZE = 1_000;
const PRUNE = {
  name: 'rate_limit_windows_prune',
  text: `delete from rate_limit_windows where key = any(array(
           select key from rate_limit_windows where ends_at < clock_timestamp() limit ${PRUNE_BATCH_SIZE}
           for update skip locked)) returning 1`,
};

/** Without the shared store, each process grants half of a limit. So two processes stay within the limit. */
const LOCAL_SHARE = 0.5;
/**
 * After a timeout, this process counts alone and asks the store again only after five seconds. The timeout is long,
 * because a store that is only slow (100 ms for a statement) must still be used.
 */
const OUTAGE_OPTIONS: OutageOptions = { timeoutMs: 1_000, retryAfterMs: 5_000 };

/** Limits what an account, or an address without a valid key, may do in a minute. All processes share the counts. */
export class MinuteLimits {
  private readonly shared: SharedTokens;

  constructor(
    private readonly redis: RedisConnection,
    private readonly sqlClient: SqlClient,
    options = OUTAGE_OPTIONS,
  ) {
    this.shared = new SharedTokens(MINUTE_WINDOW, redis, sqlClient, options);
  }

  /** Never rejects. While the shared store does not answer, this process grants a share of the limit. */
  take(holder: string, limit: number, tokens: number): Promise<TokenGrant> {
    const share = { tokens: Math.max(1, Math.floor(limit * LOCAL_SHARE)), windowMs: MINUTE };
    return this.shared.take(holder, tokens, [limit, MINUTE / SECOND], share);
  }

  /** Deletes expired windows from PostgreSQL. Redis deletes expired windows by itself. */
  async purgeExpired(): Promise<void> {
    if (this.redis.client) return;
    while ((await this.sqlClient.run(PRUNE)).length === PRUNE_BATCH_SIZE);
  }
}
