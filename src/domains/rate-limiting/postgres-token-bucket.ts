import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { SqlRateLimiter } from '../../platform/rate-limit/sql-rate-limiter.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { Bucket } from './token-buckets.js';

/**
 * The same bucket as in Redis. `free` is what was available before this request. No bucket is empty for longer than its
 * refill takes, also after the server's clock was put back: otherwise an operator would be asked nothing for as long.
 */
const TAKE_TOKENS = {
  name: 'registry_tokens_take',
  text: `
    insert into registry_tokens as t (operator, full_at, free)
    select $1, c.now + least($2::int, $3::int) * $4::float8, $3::int
    from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) c
    on conflict (operator) do update set (full_at, free) = (
      select b.full_at + least(b.free, $2::int) * $4::float8, b.free
      from (
        select c.full_at,
               greatest(0, floor((c.now - c.full_at + 0.001) / $4::float8 + $3::int))::int as free
        from (select now, least(greatest(t.full_at, now), now + $3::int * $4::float8) as full_at
              from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) n) c
      ) b)
    returning free,
              greatest(0, ceil(full_at - extract(epoch from clock_timestamp())::float8 * 1000 - ($3::int - 1) * $4::float8))
                as wait`,
};

interface TakenRow {
  readonly free: number;
  readonly wait: number;
}

class PostgresTokenBucket extends SqlRateLimiter<TakenRow> {
  constructor(statements: SqlClient, bucket: Bucket) {
    super(statements, TAKE_TOKENS, bucket);
  }

  protected parameters(operator: string, tokens: number): readonly unknown[] {
    return [operator, tokens, this.points, (this.duration * 1_000) / this.points];
  }

  protected toResult({ free, wait }: TakenRow, tokens: number): RateLimiterRes {
    const consumed = this.points - free + tokens;
    return new RateLimiterRes(Math.max(0, this.points - consumed), wait, consumed, false);
  }
}

export function postgresTokenBucket(statements: SqlClient, bucket: Bucket): RateLimiterAbstract {
  return new PostgresTokenBucket(statements, bucket);
}
