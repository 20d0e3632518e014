import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisConnection } from '../redis/redis-connection.js';
import type { SqlClient } from '../database/sql-client.js';
import { type RateLimit, SqlRateLimiter } from './sql-rate-limiter.js';

/** A window starts with its first token and is reset after its end; also if the server's clock was put back meanwhile. */
const TAKE = {
  name: 'rate_limit_windows_take',
  text: `
    insert into rate_limit_windows as w (key, used, ends_at)
    values ($1, $2, clock_timestamp() + make_interval(secs => $3))
    on conflict (key) do update set (used, ends_at) = (
      select case when is_over then $2 else w.used + $2 end,
             case when is_over then clock_timestamp() + make_interval(secs => $3) else w.ends_at end
      from (select w.ends_at <= clock_timestamp()
                or w.ends_at > clock_timestamp() + make_interval(secs => $3) as is_over) c)
    returning used, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as "waitMs"`,
};
/** In batches, without those that are just taken from: requests wait for the rows that it deletes. */
const PRUNE_BATCH_SIZE = 1_000;
const PRUNE = {
  name: 'rate_limit_windows_prune',
  text: `delete from rate_limit_windows where key = any(array(
           select key from rate_limit_windows where ends_at < clock_timestamp() limit ${PRUNE_BATCH_SIZE}
           for update skip locked)) returning 1`,
};

interface WindowRow {
  readonly used: number;
  readonly waitMs: number;
}

class PostgresWindowLimiter extends SqlRateLimiter<WindowRow> {
  constructor(sqlClient: SqlClient, limit: RateLimit) {
    super(sqlClient, TAKE, limit);
  }

  protected parameters(key: string, tokens: number): readonly unknown[] {
    return [key, tokens, this.duration];
  }

  protected toResult({ used, waitMs }: WindowRow): RateLimiterRes {
    return new RateLimiterRes(Math.max(0, this.points - used), Math.max(0, waitMs), used, false);
  }
}

/** Fixed one-minute windows shared by all processes: in Redis where configured, else in PostgreSQL. */
export class FixedWindowLimiter {
  constructor(
    private readonly redis: RedisConnection,
    private readonly sqlClient: SqlClient,
  ) {}

  shared(points: number): RateLimiterAbstract {
    const limit = { points, duration: 60 };
    const { client } = this.redis;
    if (!client) return new PostgresWindowLimiter(this.sqlClient, limit);
    const store = { storeClient: client, keyPrefix: 'namewatch:minute', rejectIfRedisNotReady: true };
    return new RateLimiterRedis({ ...store, ...limit });
  }

  local(points: number): RateLimiterAbstract {
    return new RateLimiterMemory({ points, duration: 60 });
  }

  /** Redis expires its keys itself. */
  async prune(): Promise<void> {
    if (this.redis.client) return;
    while ((await this.sqlClient.run(PRUNE)).length === PRUNE_BATCH_SIZE);
  }
}
